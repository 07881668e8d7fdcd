// What the widget shows for a state: the layer, every stage of it as the engine has
// traced it, and the rules that hide pairs.

import type { Attention, Layer, LayerTrace } from '../../engine/index.ts'
import { layerOf, type Numbers, numbersOf, weightShape } from './inputs.ts'
import { type Place, placesOf } from './positions.ts'
import { remembering } from './remembering.ts'
import { hiddenBits, type Rule, rulesOf } from './rules.ts'
import { type Settings, settingsOf } from './settings.ts'
import type { Axis, Stage, StageName } from './stage.ts'
import type { State } from './state.ts'

export interface Scene {
  readonly settings: Settings
  readonly places: readonly Place[]
  readonly rules: readonly Rule[]
  readonly layer: Layer
  /** In the order of the computation. */
  readonly stages: ReadonlyMap<StageName, Stage>
  /** The KV head of each query head. */
  readonly kvHeads: readonly number[]
}

/** What an engine is asked, before it has answered. */
export interface Question {
  readonly settings: Settings
  readonly places: readonly Place[]
  readonly rules: readonly Rule[]
  readonly numbers: Numbers
  readonly layer: Layer
}

export function questionOf(engine: Attention, state: State): Question {
  const inputs = remembering(engine)
  const settings = settingsOf(state)
  const places = placesOf(settings)
  const rules = rulesOf(inputs, settings, places)
  const numbers = numbersOf(inputs, settings)
  return { settings, places, rules, numbers, layer: layerOf(settings, numbers, places, rules) }
}

/** The scene of a state, on the calling thread. Throws the engine's AttentionError. */
export function sceneOf(engine: Attention, state: State): Scene {
  const question = questionOf(engine, state)
  return sceneFrom(question, engine.traceMultiHead(question.layer))
}

/** Whether the trace is done within a frame, so that a slider need not wait: at most 2 ¹⁷ pairs, about 5 ms. */
export const isPrompt = ({ settings: { batch, queryHeads, queries, keys } }: Question) =>
  batch * queryHeads * queries * keys <= 2 ** 17

/** What a scene shows of a trace. Stages of pairs are empty where there are too many of them to hold. */
export interface Traced
  extends Pick<LayerTrace, 'q' | 'k' | 'v' | 'dots' | 'scores' | 'capped' | 'masked' | 'weights' | 'heads' | 'output'> {
  readonly kvHeads: readonly number[]
}

export function sceneFrom({ settings, places, rules, numbers, layer }: Question, trace: Traced): Scene {
  const stages = stagesOf(settings, rules, layer, numbers, trace)
  return { settings, places, rules, layer, stages, kvHeads: trace.kvHeads }
}

const rowMajor = (shape: readonly number[]) => {
  const strides = shape.map(() => 1)
  for (let axis = shape.length - 2; axis >= 0; --axis) {
    strides[axis] = (strides[axis + 1] as number) * (shape[axis + 1] as number)
  }
  return strides
}

function stagesOf(
  settings: Settings,
  rules: readonly Rule[],
  layer: Layer,
  numbers: Numbers,
  trace: Traced,
): Map<StageName, Stage> {
  const {
    batch: B,
    queryHeads: Hq,
    kvHeads: Hkv,
    queries: T,
    keys: S,
    headDim: D,
    valueDim: Dv,
    features: M,
  } = settings
  const stages = new Map<StageName, Stage>()
  const put = (name: StageName, axes: readonly Axis[], shape: readonly number[], values: Float32Array, rest = {}) =>
    stages.set(name, { name, axes, shape, strides: rowMajor(shape), values, ...rest })
  /** Heads seen in features that lie side by side. */
  const heads = (
    name: StageName,
    axes: readonly Axis[],
    shape: readonly [number, number, number, number],
    values: Float32Array,
  ) => {
    const [, count, rows, dim] = shape
    stages.set(name, { name, axes, shape, strides: [rows * count * dim, dim, count * dim, 1], values })
  }

  const x = layer.x as Float32Array
  put('x', ['B', 'T', 'M'], [B, T, M], x)
  if (layer.context) put('context', ['B', 'S', 'M'], [B, S, M], layer.context as Float32Array)
  put('wq', ['Hq·D', 'M'], weightShape('wq', settings), numbers.wq)
  put('wk', ['Hkv·D', 'M'], weightShape('wk', settings), numbers.wk)
  put('wv', ['Hkv·Dv', 'M'], weightShape('wv', settings), numbers.wv)
  heads('q', ['B', 'Hq', 'T', 'D'], [B, Hq, T, D], trace.q)
  heads('k', ['B', 'Hkv', 'S', 'D'], [B, Hkv, S, D], trace.k)
  heads('v', ['B', 'Hkv', 'S', 'Dv'], [B, Hkv, S, Dv], trace.v)
  const pairs = [B, Hq, T, S]
  const pairAxes: readonly Axis[] = ['B', 'Hq', 'T', 'S']
  const bits = hiddenBits(rules, B, T * S)
  const hiddenNames = rules.map(({ name }) => name)
  // Beside values, which every head has its own of, the bits have the same strides.
  const isHeld = trace.weights.length > 0
  const hidden = isHeld
    ? { hiddenBy: spread(bits, B, Hq, T * S), hiddenNames }
    : { hiddenBy: bits, hiddenNames, strides: [T * S, 0, S, 1] }
  put('dots', pairAxes, pairs, trace.dots)
  put('scores', pairAxes, pairs, trace.scores)
  if (settings.state.softcap > 0) put('capped', pairAxes, pairs, trace.capped)
  put('masked', pairAxes, pairs, trace.masked, hidden)
  put('weights', pairAxes, pairs, trace.weights, hidden)
  heads('mixed', ['B', 'Hq', 'T', 'Dv'], [B, Hq, T, Dv], trace.heads)
  put('merged', ['B', 'T', 'Hq·Dv'], [B, T, Hq * Dv], trace.heads)
  put('wo', ['N', 'Hq·Dv'], weightShape('wo', settings), numbers.wo)
  put('output', ['B', 'T', 'N'], [B, T, M], trace.output)
  return stages
}

/** [B, T · S] for every head. */
function spread(bits: Uint16Array, batch: number, heads: number, pairs: number): Uint16Array {
  if (heads === 1) return bits
  const whole = new Uint16Array(batch * heads * pairs)
  for (let index = 0; index < batch * heads; ++index) {
    whole.set(bits.subarray(Math.floor(index / heads) * pairs, (Math.floor(index / heads) + 1) * pairs), index * pairs)
  }
  return whole
}
