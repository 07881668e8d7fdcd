// Rectangles cut out of dense tensors of four axes, and put back.

export type Sizes = readonly [number, number, number, number]
/** First and past-the-last index along each axis. */
export type Ranges = readonly [Range, Range, Range, Range]
export type Range = readonly [number, number]

type Values = Float32Array | Float16Array | Float64Array | Int32Array | Uint8Array

/** Calls visit(at, count, n) for the n-th run of `count` values that lie together. */
function eachRun(sizes: Sizes, ranges: Ranges, visit: (at: number, count: number, n: number) => void): void {
  const [, s1, s2, s3] = sizes
  const [[a0, a1], [b0, b1], [c0, c1], [d0, d1]] = ranges
  // Whole rows that follow each other are one run.
  const whole = d0 === 0 && d1 === s3
  let n = 0
  for (let a = a0; a < a1; a++) {
    for (let b = b0; b < b1; b++) {
      const plane = (a * s1 + b) * s2
      if (whole) visit((plane + c0) * s3, (c1 - c0) * s3, n++)
      else for (let c = c0; c < c1; c++) visit((plane + c) * s3 + d0, d1 - d0, n++)
    }
  }
}

const volume = (ranges: Ranges) => ranges.reduce((product, [from, to]) => product * (to - from), 1)

/** A buffer of at least so many bytes, whatever is in it, if there is one to spare. */
export type TakeSpare = (bytes: number) => ArrayBuffer | undefined

/** The values of a rectangle, in an array of their own, in a spare buffer if there is one. */
export function slice<V extends Values>(values: V, sizes: Sizes, ranges: Ranges, takeSpare?: TakeSpare): V {
  const count = volume(ranges)
  const make = values.constructor as new (at: number | ArrayBuffer, from?: number, count?: number) => V
  const buffer = takeSpare?.(count * values.BYTES_PER_ELEMENT)
  const into = buffer ? new make(buffer, 0, count) : new make(count)
  eachRun(sizes, ranges, (at, count, n) => into.set(values.subarray(at, at + count), n * count))
  return into
}

/** Puts the values of a rectangle where slice() took them from. */
export function place<V extends Values>(part: V, into: V, sizes: Sizes, ranges: Ranges): void {
  eachRun(sizes, ranges, (at, count, n) => into.set(part.subarray(n * count, (n + 1) * count), at))
}

/** The axes of a tensor of heads in the order in which they lie. */
export const laidOut = <Axis>(headsFirst: boolean, [b, h, t, d]: readonly [Axis, Axis, Axis, Axis]) =>
  headsFirst ? ([b, h, t, d] as const) : ([b, t, h, d] as const)
