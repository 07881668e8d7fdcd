// The weights of a problem of any size on WASM: a trace of some rows at a time.

import type { Problem, Trace } from './attention.ts'
import { over } from './copy-out.ts'
import { type Core, isFailure } from './core.ts'
import { fail } from './marshal.ts'
import { partProblem } from './parts.ts'
import { place } from './slices.ts'

/** Pairs that are traced at once: a fraction of what trace() takes, for it keeps every stage. */
const pairsAtOnce = 2 ** 19

/** `problem` is marshalled. Throws an AttentionError where the core refuses it. */
export function traceWeights(core: Core, problem: Problem): { weights: Float32Array; shape: number[] } {
  const plan = core.plan(problem, 1)
  if (isFailure(plan)) fail(plan)
  const { batch, queryHeads, kvHeads, queries, keys } = plan.shape
  const shape = [batch, queryHeads, queries, keys] as const
  const weights = new Float32Array(batch * queryHeads * queries * keys)
  const group = queryHeads / kvHeads
  let traced: Trace | undefined
  const rows = Math.max(1, Math.floor(pairsAtOnce / (group * Math.max(keys, 1))))
  for (let b = 0; b < batch; b++) {
    for (let kvHead = 0; kvHead < kvHeads; kvHead++) {
      for (let firstQuery = 0; firstQuery < queries; firstQuery += rows) {
        const part = { batch: b, kvHead, firstQuery, queries: Math.min(rows, queries - firstQuery), keys }
        const result = core.trace(partProblem(problem, plan, part), over(traced))
        if (isFailure(result)) fail(result)
        traced = result
        const ranges = [
          ...([
            [b, b + 1],
            [kvHead * group, (kvHead + 1) * group],
          ] as const),
          ...([
            [firstQuery, firstQuery + part.queries],
            [0, keys],
          ] as const),
        ] as const
        place(traced.weights, weights, shape, ranges)
      }
    }
  }
  return { weights, shape: [...shape] }
}
