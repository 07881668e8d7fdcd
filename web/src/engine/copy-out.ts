// Where the values of a result go. The pages of a new array are the dearest of a small
// result: with T 64 and 8 heads, a trace that is written over an earlier one takes less
// than half the time, an output likewise (`npm run bench -- --only t256`).

type Values = Float32Array | Uint8Array

/** What the core calls with the values of each array of a result. */
export type CopyOut = <V extends Values>(name: string, values: V) => V

/** A function of the core; those with large results take what copies them. */
export type Call<Input, Result> = (input: Input, ...copyOut: CopyOut[]) => Result

/** A copy of its own for each array. */
export const copies: CopyOut = (_name, values) => values.slice() as typeof values

/** Copies into the arrays of an earlier result, where one has the kind and the length; the others are new. */
export function over(earlier: object | undefined): CopyOut {
  if (!earlier) return copies
  const arrays = earlier as Readonly<Record<string, unknown>>
  return (name, values) => {
    const array = arrays[name]
    if (!(array instanceof values.constructor) || (array as Values).length !== values.length)
      return copies(name, values)
    const into = array as typeof values
    into.set(values)
    return into
  }
}
