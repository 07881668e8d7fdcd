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

/** Float16Array, where the runtime has it. */
const Half: typeof Float16Array | undefined = globalThis.Float16Array

/** Whether keys and values are float16 both, as those of many models are. */
export const hasHalves = ({ k, v }: Problem): boolean => Half !== undefined && k instanceof Half && v instanceof Half

/**
 * q, k, v and the bias of a pass, as float32, k and v as float16 with `halves`; undefined
 * where there is no bias.
 */
export function tensorsOf(problem: Problem, plan: GpuPlan, pass: GpuPass, halves: boolean) {
  const { shape, biasShape } = plan
  const { headsFirst } = shape
  const heads = queryHeads(plan, pass)
  const part = (values: Float32Array | Float16Array, axes: [number, number, number], ofHeads: Range, ofRows: Range) => {
    const [h, rows, dim] = axes
    return cut(
      values,
      laidOut(headsFirst, [shape.batch, h, rows, dim]),
      laidOut(headsFirst, [pass.batch, ofHeads, ofRows, [0, dim]]),
    )
  }
  const stored = (values: unknown) => (halves ? (values as Float16Array) : float32(values))
  const keys: Range = [0, shape.keys]
  const pairs = [pass.batch, heads, pass.queries, keys]
  const biasRanges = pairs.map((range, axis) => (biasShape[axis] === 1 ? [0, 1] : range))
  return {
    q: part(float32(problem.q), [shape.queryHeads, shape.queries, shape.headDim], heads, pass.queries),
    k: part(stored(problem.k), [shape.kvHeads, shape.keys, shape.headDim], pass.kvHeads, keys),
    v: part(stored(problem.v), [shape.kvHeads, shape.keys, shape.valueDim], pass.kvHeads, keys),
    bias: problem.bias && cut(float32(problem.bias), biasShape as unknown as Sizes, biasRanges as unknown as Ranges),
  }
}

export type Tensors = ReturnType<typeof tensorsOf>

const float32 = (values: unknown) =>
  values instanceof Float32Array ? values : Float32Array.from(values as ArrayLike<number>)

/** A rectangle of `values`; the array itself where it is all of it. */
function cut(values: Float32Array | Float16Array, sizes: Sizes, ranges: Ranges): ArrayBufferView {
  const whole = ranges.every(([from, to], axis) => from === 0 && to === sizes[axis])
  return whole ? values : slice(values, sizes, ranges)
}
