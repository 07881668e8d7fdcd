// Cached decoding held against the full computation: the same token once as a single
// query against the keys and values so far, and once as the last row of everything.

import type { Attention } from '../../engine/index.ts'
import { problemOf } from './inputs.ts'
import { isPrompt, questionOf, type Scene } from './scene.ts'
import type { State } from './state.ts'

/** What the comparison found. */
export interface Comparison {
  readonly numbers: number
  /** How many of them differ in any bit. */
  readonly different: number
  /** Whether the row of the whole sees keys that come after the step, which nothing holds yet. */
  readonly seesLater: boolean
}

/** The engine's KV cache knows the causal rule and a plain window, nothing else. */
const cacheable = (state: State) =>
  state.causal &&
  !state.prefix &&
  !state.documents &&
  !state.blocks &&
  !state.dilated &&
  !state.painted &&
  !(state.window && state.sinks > 0)

/** Of the whole sequence, computed at once, the row that is the step's; undefined where that would make a person wait. */
function rowOfWhole(engine: Attention, state: State, step: number) {
  const question = questionOf(engine, { ...state, positions: 'training', queries: undefined })
  if (!isPrompt(question)) return undefined
  const { queries, keys, queryHeads } = question.settings
  const { heads, weights } = engine.traceMultiHead(question.layer)
  const width = heads.length / queries
  const rows = Array.from({ length: queryHeads }, (_, head) => (head * queries + step) * keys)
  const seesLater = rows.some((row) => weights.subarray(row + step + 1, row + keys).some((weight) => weight !== 0))
  return { heads: heads.subarray(step * width, (step + 1) * width), seesLater }
}

/** The step's heads, with the engine's KV cache. */
function byCache(engine: Attention, { settings, layer }: Scene, q: Float32Array, k: Float32Array, v: Float32Array) {
  const { queryHeads, kvHeads, headDim, valueDim, keys } = settings
  const cache = engine.cache({ queryHeads, kvHeads, headDim, valueDim })
  try {
    for (let token = 0; token < keys; ++token) {
      const row = (values: Float32Array, width: number) => values.subarray(token * width, (token + 1) * width)
      cache.append({ k: row(k, kvHeads * headDim), v: row(v, kvHeads * valueDim) })
    }
    const { scale, softcap, window } = layer
    return cache.attend({ q, scale, softcap, window, kernel: 'reference' }).output
  } finally {
    cache.dispose()
  }
}

/**
 * Compares a step's heads, both computed by the reference kernel, bit for bit. Under rules
 * that the engine's KV cache does not know, its keys and values are handed over with the
 * step's row of the mask. Undefined where it would make a person wait.
 */
export function compareCached(engine: Attention, scene: Scene): Comparison | undefined {
  const { settings, layer, stages } = scene
  const [q, k, v] = (['q', 'k', 'v'] as const).map((name) => stages.get(name)?.values)
  if (!q || !k || !v || settings.keys === 0) return undefined
  const whole = rowOfWhole(engine, settings.state, settings.keys - 1)
  if (!whole) return undefined
  const output = cacheable(settings.state)
    ? byCache(engine, scene, q, k, v)
    : engine.attendSync({ ...problemOf(layer, settings, { q, k, v }), kernel: 'reference' }).output
  const bits = (values: Float32Array) => new Uint32Array(values.slice().buffer)
  const expected = bits(whole.heads)
  const different = bits(output).filter((value, index) => value !== expected[index]).length
  return { numbers: output.length, different, seesLater: whole.seesLater }
}
