// Where the values of a result go. The pages of a new array are the dearest of a small
// result: where one fault takes 12 µs, an output of T 64 with 8 heads is written over an
// earlier one in 0.3 ms, and over new memory in 0.8; of T 256 in 1.8 and 2.4 (`npm run
// bench -- --only t256`).

type Values = Float32Array | Uint8Array

/** What the core calls with the values of each array of a result. */
export type CopyOut = <V extends Values>(name: string, values: V) => V

/** A copy of its own for each array. */
export const copies: CopyOut = (_name, values) => values.slice() as typeof values

/**
 * Copies into the arrays of an earlier result, where one has the kind and the length; the
 * others are new. Nothing may be thrown while the core is calling: the arrays are looked
 * at before, and one that is empty, which may be detached, is not written to.
 */
export function over(earlier: object | undefined): CopyOut {
  if (!earlier) return copies
  const arrays: Readonly<Record<string, unknown>> = { ...earlier }
  return (name, values) => {
    const array = arrays[name]
    const fits = array instanceof values.constructor && (array as Values).length === values.length
    if (!fits || values.length === 0) return copies(name, values)
    const into = array as typeof values
    into.set(values)
    return into
  }
}

/** Room for the values of these axes: that of an earlier result, if it has as many. */
export function roomFor(axes: readonly number[], earlier: unknown): Float32Array {
  const size = axes.reduce((product, axis) => product * axis, 1)
  return earlier instanceof Float32Array && earlier.length === size ? earlier : new Float32Array(size)
}
