// All that can solve a problem of causal self-attention or decoding, by name.

import { cached, pool, poolOver, rung, tiled, tiledOver } from './engines.mjs'
import { attendInJavaScript } from './javascript-loop.mjs'
import { onnxRuntime } from './onnx-runtime.mjs'
import { tensorFlow } from './tensorflow.mjs'

/** What makes each contestant of a problem, and the engine of ours that it needs. */
const makers = {
  relaxed: { needs: 'relaxed', make: (problem, engines) => tiled(engines, 'relaxed', problem) },
  plain: { needs: 'plain', make: (problem, engines) => tiled(engines, 'plain', problem) },
  'relaxed-over': { needs: 'relaxed', make: (problem, engines) => tiledOver(engines, 'relaxed', problem) },
  'plain-over': { needs: 'plain', make: (problem, engines) => tiledOver(engines, 'plain', problem) },
  'relaxed-cache': { needs: 'relaxed', make: (problem, engines) => cached(engines, 'relaxed', problem) },
  'plain-cache': { needs: 'plain', make: (problem, engines) => cached(engines, 'plain', problem) },
  pool: { needs: 'pool', make: (problem, engines) => pool(engines, problem) },
  'pool-over': { needs: 'pool', make: (problem, engines) => poolOver(engines, problem) },
  online: { needs: 'plain', make: (problem, engines) => rung(engines, 'online', problem) },
  reference: { needs: 'plain', make: (problem, engines) => rung(engines, 'reference', problem) },
  javascript: {
    make: (problem) => ({
      ...{ id: 'javascript', name: 'JavaScript loop', layout: 'bhtd' },
      run: () => attendInJavaScript(problem),
    }),
  },
  'onnx-attention': { make: onnxRuntime.attention },
  'onnx-multi-head': { make: onnxRuntime.multiHeadAttention },
  'onnx-group-query': { make: onnxRuntime.groupQueryAttention },
  tensorflow: { make: (problem, _engines, options) => tensorFlow(problem, options) },
}

export const onnx = ['onnx-attention', 'onnx-multi-head', 'onnx-group-query']
export const peers = [...onnx, 'tensorflow']
export const ladder = ['online', 'reference', 'javascript']

/** The engine of ours that a contestant needs, if any. */
export const engineOf = (id) => makers[id].needs

/** Why this run is without a contestant; undefined if it is not. */
export const reasonWithout = (id, leftOut) => leftOut.get(id) ?? leftOut.get(engineOf(id))

/**
 * The contestants `ids`, less those that this run is without. `resident`: keys and
 * values may stay in a contestant's memory from call to call.
 */
export async function makeContestants(ids, problem, { engines, leftOut }, { resident = false } = {}) {
  const made = []
  for (const id of ids) {
    if (reasonWithout(id, leftOut) === undefined) made.push(await makers[id].make(problem, engines, { resident }))
  }
  return made
}
