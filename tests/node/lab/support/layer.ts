// A whole layer in float64, by its definition, with a bound on what any float32
// evaluation of it may be off by: a sum of n products, in whatever order and fused or
// not, errs by no more than (n + 1)·u times the sum of their sizes, u = 2⁻²⁴ (Higham,
// Accuracy and Stability of Numerical Algorithms, 2002, section 3.1), and by half the
// smallest number 2⁻¹⁴⁹ for each product that underflows; errors of what goes in pass
// on to what comes out.

import type { Request } from './request.ts'

const u = 2 ** -24
const tiny = 2 ** -149

/** What a float32 sum of `count` products of this size altogether may be off by. */
export const sumError = (count: number, size: number) => (count + 1) * (u * size + tiny)

/** Numbers by index, each with the most that it may be off by. */
export interface Bounded {
  readonly shape: readonly number[]
  readonly values: Float64Array
  readonly errors: Float64Array
}

type At = (...index: number[]) => { value: number; error: number }

const at = ({ shape, values, errors }: Bounded): At => {
  return (...index) => {
    const flat = index.reduce((sum, i, axis) => sum * (shape[axis] as number) + i, 0)
    return { value: values[flat] as number, error: errors[flat] as number }
  }
}

function filled(shape: readonly number[], each: (...index: number[]) => { value: number; error: number }): Bounded {
  const size = shape.reduce((product, axis) => product * axis, 1)
  const made = { shape, values: new Float64Array(size), errors: new Float64Array(size) }
  for (let flat = 0; flat < size; ++flat) {
    const index: number[] = []
    for (
      let axis = shape.length - 1, rest = flat;
      axis >= 0;
      rest = Math.floor(rest / (shape[axis] as number)), --axis
    ) {
      index.unshift(rest % (shape[axis] as number))
    }
    const { value, error } = each(...index)
    made.values[flat] = value
    made.errors[flat] = error
  }
  return made
}

/** Σ left(i) · right(i), i from 0 to count. */
function sum(count: number, left: (i: number) => ReturnType<At>, right: (i: number) => ReturnType<At>) {
  let [value, size, error] = [0, 0, 0]
  for (let i = 0; i < count; ++i) {
    const [a, b] = [left(i), right(i)]
    value += a.value * b.value
    size += (Math.abs(a.value) + a.error) * (Math.abs(b.value) + b.error)
    error += Math.abs(a.value) * b.error + Math.abs(b.value) * a.error + a.error * b.error
  }
  return { value, error: error + sumError(count, size) }
}

export interface LayerInputs {
  /** [B, T, M]. */
  readonly x: ArrayLike<number>
  /** [B, S, M]. */
  readonly context: ArrayLike<number>
  readonly wq: ArrayLike<number>
  readonly wk: ArrayLike<number>
  readonly wv: ArrayLike<number>
  readonly wo: ArrayLike<number>
  readonly scale: number
  readonly softcap: number
}

/** Every stage by its name, row-major in the order of its axes. */
export function evaluate(request: Request, inputs: LayerInputs): Map<string, Bounded> {
  const { batch: B, queryHeads: Hq, kvHeads: Hkv, queries: T, keys: S, headDim: D, valueDim: Dv, features: M } = request
  const given = (values: ArrayLike<number>, ...shape: number[]) => {
    const all = Float64Array.from(values)
    return at({ shape, values: all, errors: new Float64Array(all.length) })
  }
  const x = given(inputs.x, B, T, M)
  const context = given(inputs.context, B, S, M)
  const [wq, wk, wv] = [inputs.wq, inputs.wk, inputs.wv].map((w) => given(w, 0, M)) as [At, At, At]
  const wo = given(inputs.wo, M, Hq * Dv)
  const kvHead = (head: number) => Math.floor((head * Hkv) / Hq)
  const project = (heads: number, rows: number, dim: number, tokens: At, weights: At) =>
    filled([B, heads, rows, dim], (b, h, row, d) =>
      sum(
        M,
        (m) => tokens(b, row, m),
        (m) => weights(h * dim + d, m),
      ),
    )
  const q = project(Hq, T, D, x, wq)
  const k = project(Hkv, S, D, context, wk)
  const v = project(Hkv, S, Dv, context, wv)
  const pairs = [B, Hq, T, S]
  const [qAt, kAt, vAt] = [at(q), at(k), at(v)]
  const dots = filled(pairs, (b, h, t, s) =>
    sum(
      D,
      (d) => qAt(b, h, t, d),
      (d) => kAt(b, kvHead(h), s, d),
    ),
  )
  const scores = filled(pairs, (...pair) => {
    const { value, error } = at(dots)(...pair)
    const scaled = value * inputs.scale
    // The scale itself is rounded to 32 bits, and so is the product.
    return { value: scaled, error: error * Math.abs(inputs.scale) + 3 * u * Math.abs(scaled) + tiny }
  })
  const capped = filled(pairs, (...pair) => {
    const { value, error } = at(scores)(...pair)
    const { softcap } = inputs
    if (softcap === 0) return { value, error }
    // tanh is nowhere steeper than 1; a few roundings of a number no larger than the cap.
    return { value: softcap * Math.tanh(value / softcap), error: error + 8 * u * softcap + tiny }
  })
  const hides = (b: number, t: number, s: number) => request.hiddenBy(b, t, s).length > 0
  const masked = filled(pairs, (b, h, t, s) =>
    hides(b, t, s) ? { value: Number.NEGATIVE_INFINITY, error: 0 } : at(capped)(b, h, t, s),
  )
  const weights = filled(pairs, (b, h, t, s) => {
    const row = Array.from({ length: S }, (_, key) => at(masked)(b, h, t, key)).filter(({ value }) => value > -Infinity)
    const { value } = at(masked)(b, h, t, s)
    if (value === Number.NEGATIVE_INFINITY) return { value: 0, error: 0 }
    const max = Math.max(...row.map((score) => score.value))
    const least = Math.min(...row.map((score) => score.value))
    const off = Math.max(...row.map(({ error }) => error))
    const weight = Math.exp(value - max) / row.reduce((sum, score) => sum + Math.exp(score.value - max), 0)
    // Scores that are off by e make a weight off by a factor of exp(2 e); the difference to the largest is
    // rounded, exp() is right to a few units, and the sum of the row has as many roundings as terms.
    const relative = Math.expm1(2 * off) + u * (2 * (max - least) + row.length + 10)
    return { value: weight, error: weight * relative + 2 ** -126 }
  })
  const weightAt = at(weights)
  const mixed = filled([B, Hq, T, Dv], (b, h, t, d) =>
    sum(
      S,
      (s) => weightAt(b, h, t, s),
      (s) => vAt(b, kvHead(h), s, d),
    ),
  )
  const merged = filled([B, T, Hq * Dv], (b, t, column) => at(mixed)(b, Math.floor(column / Dv), t, column % Dv))
  const mergedAt = at(merged)
  const output = filled([B, T, M], (b, t, n) =>
    sum(
      Hq * Dv,
      (column) => mergedAt(b, t, column),
      (column) => wo(n, column),
    ),
  )
  return new Map(Object.entries({ q, k, v, dots, scores, capped, masked, weights, mixed, merged, output }))
}
