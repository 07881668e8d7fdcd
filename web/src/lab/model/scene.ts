// What the widget shows for a state: the layer, every stage of it as the engine has
// traced it, and the rules that hide pairs.

import type { Attention, Layer, LayerTrace } from '../../engine/index.ts'
import { layerOf, type Numbers, numbersOf } from './inputs.ts'
import { type Place, placesOf } from './positions.ts'
import { remembering } from './remembering.ts'
import { hiddenBits, type Rule, rulesOf } from './rules.ts'
import { type Settings, settingsOf } from './settings.ts'
import { shapeOf } from './shapes.ts'
import type { Stage, StageName } from './stage.ts'
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
  const { batch, queryHeads, queries, keys } = settings
  const stages = new Map<StageName, Stage>()
  const put = (name: StageName, values: Float32Array, rest = {}) => {
    const found = shapeOf(name, settings)
    if (found) stages.set(name, { name, ...found, strides: rowMajor(found.shape), values, ...rest })
  }
  /** Heads seen in features that lie side by side. */
  const heads = (name: StageName, values: Float32Array) => {
    const [, count = 0, rows = 0, dim = 0] = shapeOf(name, settings)?.shape ?? []
    put(name, values, { strides: [rows * count * dim, dim, count * dim, 1] })
  }

  put('x', layer.x as Float32Array)
  put('context', layer.context as Float32Array)
  put('wq', numbers.wq)
  put('wk', numbers.wk)
  put('wv', numbers.wv)
  heads('q', trace.q)
  heads('k', trace.k)
  heads('v', trace.v)
  const pairs = queries * keys
  const bits = hiddenBits(rules, batch, pairs)
  const hiddenNames = rules.map(({ name }) => name)
  // Beside values, which every head has its own of, the bits have the same strides.
  const isHeld = trace.weights.length > 0
  const hidden = isHeld
    ? { hiddenBy: spread(bits, batch, queryHeads, pairs), hiddenNames }
    : { hiddenBy: bits, hiddenNames, strides: [pairs, 0, keys, 1] }
  put('dots', trace.dots)
  put('scores', trace.scores)
  put('capped', trace.capped)
  put('masked', trace.masked, hidden)
  put('weights', trace.weights, hidden)
  heads('mixed', trace.heads)
  put('merged', trace.heads)
  put('wo', numbers.wo)
  put('output', trace.output)
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
