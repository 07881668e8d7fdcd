// That all contestants compute the same, before any of them is timed.

import { Failure } from '../lib/run.mjs'
import { tokensFirst } from './problem.mjs'

const tolerance = 1e-4

/** What our reference, the four plain passes, gives for a problem: [Hq, T, Dv]. */
export const referenceOutput = ({ plain }, problem) => plain.attendSync({ ...problem, kernel: 'reference' }).output

/** Fails with a sentence if a contestant's output is not `expected`, [Hq, T, Dv]. */
export function checkOutput({ name, layout }, output, expected, { queryHeads, queries, headDim }) {
  const right = layout === 'bthd' ? tokensFirst(expected, queryHeads, queries, headDim) : expected
  if (output.length !== right.length) {
    throw new Failure(`${name} gave ${output.length} values of output where ${right.length} were expected.`)
  }
  // Written so that NaN, which is not within any tolerance, is a disagreement.
  const at = output.findIndex((value, index) => !(Math.abs(value - right[index]) <= tolerance))
  if (at >= 0)
    throw new Failure(`${name} disagrees with the reference: value ${at} is ${output[at]}, not ${right[at]}.`)
}
