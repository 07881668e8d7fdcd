// Cached decoding held against the full computation: the same token once with a KV
// cache, one query against what was cached, and once as the last row of everything.

import type { Attention } from '../../engine/index.ts'
import { isPrompt, questionOf, type Scene } from './scene.ts'
import type { State } from './state.ts'

/** What the comparison found. */
export interface Comparison {
  readonly numbers: number
  /** How many of them differ in any bit. */
  readonly different: number
}

/** A cache knows the causal rule and a plain window, nothing else. */
const cacheable = (state: State) =>
  state.causal &&
  !state.prefix &&
  !state.documents &&
  !state.blocks &&
  !state.dilated &&
  !state.painted &&
  !(state.window && state.sinks > 0)

/** Of the row of the whole sequence, computed at once, that is the step's; undefined where that would make a person wait. */
function rowOfWhole(engine: Attention, state: State, step: number): Float32Array | undefined {
  const question = questionOf(engine, { ...state, positions: 'training', queries: undefined })
  if (!isPrompt(question)) return undefined
  const { heads } = engine.traceMultiHead(question.layer)
  const width = heads.length / question.settings.queries
  return heads.subarray(step * width, (step + 1) * width)
}

/**
 * Compares a step's heads, both computed by the reference kernel, bit for bit. 'mask'
 * where a KV cache cannot hold the mask.
 */
export function compareCached(engine: Attention, { settings, layer, stages }: Scene): Comparison | 'mask' | undefined {
  const { state, queryHeads, kvHeads, headDim, valueDim, keys } = settings
  const q = stages.get('q')?.values
  const k = stages.get('k')?.values
  const v = stages.get('v')?.values
  if (!cacheable(state)) return 'mask'
  if (!q || !k || !v || keys === 0) return undefined
  const full = rowOfWhole(engine, state, keys - 1)
  if (!full) return undefined
  const cache = engine.cache({ queryHeads, kvHeads, headDim, valueDim })
  try {
    for (let token = 0; token < keys; ++token) {
      const row = (values: Float32Array, width: number) => values.subarray(token * width, (token + 1) * width)
      cache.append({ k: row(k, kvHeads * headDim), v: row(v, kvHeads * valueDim) })
    }
    const { output } = cache.attend({
      q: q.subarray(q.length - queryHeads * headDim),
      scale: layer.scale,
      softcap: layer.softcap,
      window: layer.window,
      kernel: 'reference',
    })
    const bits = (values: Float32Array) => new Uint32Array(values.slice().buffer)
    const expected = bits(full)
    const different = bits(output).filter((value, index) => value !== expected[index]).length
    return { numbers: output.length, different }
  } finally {
    cache.dispose()
  }
}
