// The parts of a problem's tensors that a pass of the plan works on.

import type { Problem } from '../attention.ts'
import type { GpuPlan } from '../core.ts'
import { laidOut, type Range, type Ranges, type Sizes, slice } from '../slices.ts'

export type GpuPass = GpuPlan['passes'][number]

/** The query heads that read a pass's KV heads. */
export function queryHeads({ shape }: GpuPlan, { kvHeads: [first, last] }: GpuPass): Range {
  const group = shape.queryHeads / shape.kvHeads
  return [first * group, last * group]
}

/** q, k, v and the bias of a pass, as float32; undefined where there is no bias. */
export function tensorsOf(problem: Problem, plan: GpuPlan, pass: GpuPass) {
  const { shape, biasShape } = plan
  const { headsFirst } = shape
  const heads = queryHeads(plan, pass)
  const part = (values: unknown, axes: [number, number, number], ofHeads: Range, ofRows: Range) => {
    const [h, rows, dim] = axes
    return cut(
      values as ArrayLike<number>,
      laidOut(headsFirst, [shape.batch, h, rows, dim]),
      laidOut(headsFirst, [pass.batch, ofHeads, ofRows, [0, dim]]),
    )
  }
  const keys: Range = [0, shape.keys]
  const pairs = [pass.batch, heads, pass.queries, keys]
  const biasRanges = pairs.map((range, axis) => (biasShape[axis] === 1 ? [0, 1] : range))
  return {
    q: part(problem.q, [shape.queryHeads, shape.queries, shape.headDim], heads, pass.queries),
    k: part(problem.k, [shape.kvHeads, shape.keys, shape.headDim], pass.kvHeads, keys),
    v: part(problem.v, [shape.kvHeads, shape.keys, shape.valueDim], pass.kvHeads, keys),
    bias:
      problem.bias &&
      cut(problem.bias as ArrayLike<number>, biasShape as unknown as Sizes, biasRanges as unknown as Ranges),
  }
}

/** A rectangle of `values` as float32; the array itself where it is all of it. */
function cut(values: ArrayLike<number>, sizes: Sizes, ranges: Ranges): Float32Array<ArrayBuffer> {
  const floats = values instanceof Float32Array ? values : Float32Array.from(values)
  const whole = ranges.every(([from, to], axis) => from === 0 && to === sizes[axis])
  return (whole ? floats : slice(floats, sizes, ranges)) as Float32Array<ArrayBuffer>
}
