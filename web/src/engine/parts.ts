// A problem cut into the parts that the core planned, each a problem of its own
// that a worker can solve, and the outputs of the parts put together.

import type { Output, Problem } from './attention.ts'
import type { Core, Success } from './core.ts'
import { place, type Ranges, type Sizes, slice } from './slices.ts'

export type Plan = Success<ReturnType<Core['plan']>>
type Part = Plan['parts'][number]
type Floats = Float32Array | Float64Array

/** The tensors' axes in the order in which they lie. */
const laidOut = <Axis>(headsFirst: boolean, [b, h, t, d]: readonly [Axis, Axis, Axis, Axis]) =>
  headsFirst ? ([b, h, t, d] as const) : ([b, t, h, d] as const)

function rangesOf(plan: Plan, part: Part): { queries: Ranges; keys: Ranges; output: Ranges; pairs: Ranges } {
  const { shape } = plan
  const group = shape.queryHeads / shape.kvHeads
  const batch = [part.batch, part.batch + 1] as const
  const heads = [part.kvHead * group, (part.kvHead + 1) * group] as const
  const kvHead = [part.kvHead, part.kvHead + 1] as const
  const rows = [part.firstQuery, part.firstQuery + part.queries] as const
  const keys = [0, shape.keys] as const
  return {
    queries: laidOut(shape.headsFirst, [batch, heads, rows, [0, shape.headDim]]),
    keys: laidOut(shape.headsFirst, [batch, kvHead, keys, [0, 0]]),
    output: laidOut(shape.headsFirst, [batch, heads, rows, [0, shape.valueDim]]),
    pairs: [batch, heads, rows, keys],
  }
}

/** A mask's part: an axis that is broadcast stays so. */
function maskPart<V extends Float32Array | Float64Array | Uint8Array>(
  values: V,
  given: readonly number[] | undefined,
  plan: Plan,
  pairs: Ranges,
): { values: V; shape: number[] } {
  const { batch, queryHeads, queries, keys } = plan.shape
  const inferred = values.length === queries * keys ? [queries, keys] : [batch, queryHeads, queries, keys]
  const axes = given ?? inferred
  const sizes = [1, 1, 1, 1, ...axes].slice(-4) as unknown as Sizes
  const ranges = pairs.map((range, axis) => (sizes[axis] === 1 ? [0, 1] : range)) as unknown as Ranges
  return { values: slice(values, sizes, ranges), shape: ranges.map(([from, to]) => to - from) }
}

const positionsPart = (
  values: Int32Array | Float64Array,
  count: number,
  batch: number,
  [from, to]: readonly [number, number],
) => {
  const at = values.length === count ? 0 : batch * count
  return values.slice(at + from, at + to)
}

/** The problem of one part; `problem` is marshalled, so its arrays are typed. */
export function partProblem(problem: Problem, plan: Plan, part: Part): Problem {
  const { shape } = plan
  const ranges = rangesOf(plan, part)
  const group = shape.queryHeads / shape.kvHeads
  const tensor = (values: unknown, heads: number, rows: number, dim: number, cut: Ranges) => {
    const sizes = laidOut(shape.headsFirst, [shape.batch, heads, rows, dim])
    const [a, b, c] = cut
    return slice(values as Floats, sizes, [a, b, c, [0, dim]])
  }
  const allowed = problem.allowed && maskPart(problem.allowed as Uint8Array, problem.allowedShape, plan, ranges.pairs)
  const bias = problem.bias && maskPart(problem.bias as Floats, problem.biasShape, plan, ranges.pairs)
  const keyPositions = problem.keyPositions as Int32Array | undefined
  return {
    ...problem,
    q: tensor(problem.q, shape.queryHeads, shape.queries, shape.headDim, ranges.queries),
    k: tensor(problem.k, shape.kvHeads, shape.keys, shape.headDim, ranges.keys),
    v: tensor(problem.v, shape.kvHeads, shape.keys, shape.valueDim, ranges.keys),
    ...{ batch: 1, queryHeads: group, kvHeads: 1, queries: part.queries, keys: shape.keys },
    kernel: plan.kernel,
    queryPositions: positionsPart(plan.queryPositions.subarray(part.batch * shape.queries), shape.queries, 0, [
      part.firstQuery,
      part.firstQuery + part.queries,
    ]),
    keyPositions: keyPositions && positionsPart(keyPositions, shape.keys, part.batch, [0, shape.keys]),
    ...(allowed && { allowed: allowed.values, allowedShape: allowed.shape }),
    ...(bias && { bias: bias.values, biasShape: bias.shape }),
  }
}

/** Room for the whole output, and a way to put a part's output into it. */
export function gather(plan: Plan): { output: Output; put: (part: Part, values: Float32Array) => void } {
  const { shape } = plan
  const sizes = laidOut(shape.headsFirst, [shape.batch, shape.queryHeads, shape.queries, shape.valueDim])
  const values = new Float32Array(sizes.reduce((product, size) => product * size, 1))
  const [b, t] = sizes
  return {
    output: { output: values, shape: shape.headsFirst ? [...sizes] : [b, t, shape.queryHeads * shape.valueDim] },
    put: (part, partial) => place(partial, values, sizes, rangesOf(plan, part).output),
  }
}
