// Cached decoding held against the full computation: the same token once with a KV
// cache, one query against what was cached, and once as the last row of everything.

import type { Attention } from '../../engine/index.ts'
import type { Scene } from './scene.ts'
import type { State } from './state.ts'

/** What the comparison found; undefined where a KV cache cannot hold the mask. */
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

/** Compares the last query's heads, both with the reference kernel, bit for bit. */
export function compareCached(engine: Attention, { settings, layer, stages }: Scene): Comparison | undefined {
  const { state, queryHeads, kvHeads, headDim, valueDim, keys } = settings
  const q = stages.get('q')?.values
  const k = stages.get('k')?.values
  const v = stages.get('v')?.values
  const full = stages.get('merged')?.values
  if (!cacheable(state) || !q || !k || !v || !full || keys === 0) return undefined
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
    const last = full.subarray(full.length - output.length)
    const bits = (values: Float32Array) => new Uint32Array(values.slice().buffer)
    const expected = bits(last)
    const different = bits(output).filter((value, index) => value !== expected[index]).length
    return { numbers: output.length, different }
  } finally {
    cache.dispose()
  }
}
