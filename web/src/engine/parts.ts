// A problem cut into the parts that the core planned, each a problem of its own
// that a worker can solve, and the outputs of the parts put together.

import type { Output, Problem } from './attention.ts'
import { roomFor } from './copy-out.ts'
import type { Core, Success } from './core.ts'
import { laidOut, place, type Range, type Ranges, type Sizes, slice, type TakeSpare } from './slices.ts'

export type Plan = Success<ReturnType<Core['plan']>>
type Part = Plan['parts'][number]
type Floats = Float32Array | Float64Array

/** The indices of a part along each axis that it cuts. */
function rangesOf({ shape }: Plan, part: Part) {
  const group = shape.queryHeads / shape.kvHeads
  return {
    batch: [part.batch, part.batch + 1],
    heads: [part.kvHead * group, (part.kvHead + 1) * group],
    kvHead: [part.kvHead, part.kvHead + 1],
    queries: [part.firstQuery, part.firstQuery + part.queries],
    keys: [0, part.keys],
  } as const satisfies Record<string, Range>
}

/** A mask's part: an axis that is broadcast stays so. */
function maskPart<V extends Float32Array | Float64Array | Uint8Array>(
  values: V,
  shape: readonly number[],
  pairs: Ranges,
): { values: V; shape: number[] } {
  const sizes = shape as unknown as Sizes
  const ranges = pairs.map((range, axis) => (sizes[axis] === 1 ? [0, 1] : range)) as unknown as Ranges
  return { values: slice(values, sizes, ranges), shape: ranges.map(([from, to]) => to - from) }
}

/** Positions [count] or [B, count]: those of one batch item. */
function positionsOf(values: Int32Array | Float64Array, count: number, batch: number) {
  const first = values.length === count ? 0 : batch * count
  return values.subarray(first, first + count)
}

/** The problem of one part; `problem` is marshalled, so its arrays are typed. Tensors are put into spare buffers, if there are any. */
export function partProblem(problem: Problem, plan: Plan, part: Part, takeSpare?: TakeSpare): Problem {
  const { shape, kernel } = plan
  const { batch, heads, kvHead, queries, keys } = rangesOf(plan, part)
  const pairs = [batch, heads, queries, keys] as const
  const tensor = (values: unknown, [h, rows, dim]: [number, number, number], ofHeads: Range, ofRows: Range) =>
    slice(
      values as Floats,
      laidOut(shape.headsFirst, [shape.batch, h, rows, dim]),
      laidOut(shape.headsFirst, [batch, ofHeads, ofRows, [0, dim]]),
      takeSpare,
    )
  const allowed = problem.allowed && maskPart(problem.allowed as Uint8Array, plan.allowedShape, pairs)
  const bias = problem.bias && maskPart(problem.bias as Floats, plan.biasShape, pairs)
  const keyPositions = problem.keyPositions as Int32Array | Float64Array | undefined
  return {
    ...problem,
    q: tensor(problem.q, [shape.queryHeads, shape.queries, shape.headDim], heads, queries),
    k: tensor(problem.k, [shape.kvHeads, shape.keys, shape.headDim], kvHead, keys),
    v: tensor(problem.v, [shape.kvHeads, shape.keys, shape.valueDim], kvHead, keys),
    ...{ batch: 1, queryHeads: shape.queryHeads / shape.kvHeads, kvHeads: 1 },
    ...{ queries: part.queries, keys: part.keys, kernel },
    // The plan states all positions; a slice is a copy, which may be handed over.
    queryPositions: positionsOf(plan.queryPositions, shape.queries, part.batch).slice(...queries),
    keyPositions: keyPositions && positionsOf(keyPositions, shape.keys, part.batch).slice(...keys),
    ...(allowed && { allowed: allowed.values, allowedShape: allowed.shape }),
    ...(bias && { bias: bias.values, biasShape: bias.shape }),
  }
}

/** A spare buffer's values in the number of a part's output. */
export function partRoom({ shape }: Plan, part: Part, takeSpare: TakeSpare): Float32Array | undefined {
  const size = part.queries * (shape.queryHeads / shape.kvHeads) * shape.valueDim
  const buffer = takeSpare(size * Float32Array.BYTES_PER_ELEMENT)
  return buffer && new Float32Array(buffer, 0, size)
}

/** Room for the whole output, that of an earlier one if it fits, and a way to put a part's output into it. */
export function gather(
  plan: Plan,
  earlier: Output | undefined,
): { output: Output; put: (part: Part, values: Float32Array) => void } {
  const { shape } = plan
  const sizes = laidOut(shape.headsFirst, [shape.batch, shape.queryHeads, shape.queries, shape.valueDim])
  const values = roomFor(sizes, earlier?.output)
  const [b, t] = sizes
  return {
    output: { output: values, shape: shape.headsFirst ? [...sizes] : [b, t, shape.queryHeads * shape.valueDim] },
    put: (part, partial) => {
      const { batch, heads, queries } = rangesOf(plan, part)
      place(partial, values, sizes, laidOut(shape.headsFirst, [batch, heads, queries, [0, shape.valueDim]]))
    },
  }
}
