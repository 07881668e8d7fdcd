// The sums of a stage's rows, which the core adds up: a projection of the rows onto one
// feature, with a weight of 1 for every number.

import type { Attention } from '../../engine/index.ts'
import { NotRecorded } from './recorded.ts'
import type { Matrix, Stage } from './stage.ts'

const known = new WeakMap<Stage, Float32Array>()

/** The sums of all rows of a row-major stage, those of its last matrix last. */
function rowSumsOf(engine: Attention, stage: Stage): Float32Array {
  const found = known.get(stage)
  if (found) return found
  const columns = stage.shape.at(-1) as number
  if (columns === 0) return new Float32Array(stage.shape.slice(0, -1).reduce((rows, size) => rows * size, 1))
  const ones = new Float32Array(columns).fill(1)
  // The layer around the projection is as small as one can be: one key, of one feature.
  const { q } = engine.traceMultiHead({
    ...{ x: stage.values, context: ones, wq: ones, wk: ones, wv: ones, wo: [1] },
    ...{ queries: stage.values.length / columns, keys: 1, headDim: 1, modelDim: columns, outputDim: 1, causal: false },
  })
  known.set(stage, q)
  return q
}

/** The sums of a matrix's rows; undefined if it has to wait for the engine. */
export function rowSums(engine: Attention, { stage, offset, rows, rowStride }: Matrix): Float32Array | undefined {
  try {
    const first = rowStride === 0 ? 0 : offset / rowStride
    return rowSumsOf(engine, stage).subarray(first, first + rows)
  } catch (error) {
    if (error instanceof NotRecorded) return undefined
    throw error
  }
}
