// Random problems over everything that the contract allows, the same ones everywhere.

import type { Problem } from 'attention-playground'
import type { OracleProblem } from '../../node/support/oracle.ts'

/** Fractions of [0, 1): the mulberry32 generator. */
export function fractions(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Near normal values of mean 0 and variance 1. */
export function normals(count: number, seed: number): Float32Array {
  const next = fractions(seed * 7919)
  return Float32Array.from({ length: count }, () => (next() + next() + next() + next() - 2) * Math.sqrt(3))
}

// Lengths at which a tile, a staged chunk or a vector turns over.
const lengths = [1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200]
const dimensions = [1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 36, 63, 64, 65, 72, 128, 130, 256]

/** A problem of a shape, of near normal values. */
export function problemOf(shape: Omit<Problem, 'q' | 'k' | 'v'>, seed = 1) {
  const { batch = 1, queryHeads = 1, kvHeads = queryHeads, queries, keys, headDim, valueDim = headDim } = shape
  return {
    ...shape,
    q: normals(batch * queryHeads * queries * headDim, seed),
    k: normals(batch * kvHeads * keys * headDim, seed + 1),
    v: normals(batch * kvHeads * keys * valueDim, seed + 2),
  }
}

/** The problem of a seed. NaN and infinity stand in some slots that no query sees. */
export function randomProblem(seed: number): OracleProblem {
  const next = fractions(seed)
  const chance = (probability: number) => next() < probability
  const oneOf = <Value>(values: readonly Value[]) => values[Math.floor(next() * values.length)] as Value
  const whole = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  const batch = oneOf([1, 1, 2, 3])
  const kvHeads = oneOf([1, 1, 2, 3])
  const queryHeads = kvHeads * oneOf([1, 1, 2, 3, 5, 8])
  const headDim = oneOf(dimensions)
  const valueDim = chance(0.5) ? headDim : oneOf(dimensions)
  let [queries, keys] = [oneOf(lengths), oneOf(lengths)]
  while (batch * queryHeads * queries * keys * (headDim + valueDim) > 400_000) {
    if (queries > keys) queries = Math.ceil(queries / 2)
    else keys = Math.ceil(keys / 2)
    if (queries === 1 && keys === 1) break
  }
  const pairs = batch * queryHeads * queries * keys
  const positions = (count: number) =>
    Int32Array.from({ length: count * (chance(0.5) ? 1 : batch) }, () =>
      chance(0.02) ? oneOf([-(2 ** 31), 2 ** 31 - 1]) : whole(-5, keys + 5),
    )
  const usual = 1 / Math.sqrt(headDim)
  const problem: OracleProblem = {
    ...{
      q: normals(batch * queryHeads * queries * headDim, seed),
      k: normals(batch * kvHeads * keys * headDim, seed + 1),
    },
    v: normals(batch * kvHeads * keys * valueDim, seed + 2),
    ...{ batch, queryHeads, kvHeads, queries, keys, headDim, valueDim },
    layout: oneOf(['bhtd', 'bthd'] as const),
    causal: chance(0.6),
    window: chance(0.3)
      ? { left: chance(0.8) ? whole(0, 40) : undefined, right: chance(0.5) ? whole(0, 20) : undefined }
      : undefined,
    queryPositions: chance(0.2) ? positions(queries) : undefined,
    keyPositions: chance(0.2) ? positions(keys) : undefined,
    allowed: chance(0.3) ? Uint8Array.from({ length: pairs }, () => (chance(0.6) ? 1 : 0)) : undefined,
    bias: chance(0.3)
      ? Float32Array.from({ length: pairs }, () => (chance(0.2) ? -Infinity : 4 * next() - 2))
      : undefined,
    scale: chance(0.6) ? undefined : oneOf([0, -usual, 1, (4 * next() - 2) * usual]),
    softcap: chance(0.3) ? oneOf([0.5, 1, 5, 50]) : undefined,
  }
  if (problem.allowed && chance(0.5)) poison(problem, whole(0, keys - 1), oneOf([Number.NaN, Infinity, -Infinity]))
  return problem
}

/** Hides a key from every query and fills its slots. */
function poison(problem: OracleProblem, key: number, value: number): void {
  const { batch, kvHeads, keys, headDim, valueDim, layout } = problem
  const allowed = problem.allowed as Uint8Array
  for (let pair = key; pair < allowed.length; pair += keys) allowed[pair] = 0
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < kvHeads; h++) {
      const row = layout === 'bhtd' ? (b * kvHeads + h) * keys + key : (b * keys + key) * kvHeads + h
      ;(problem.k as Float32Array).fill(value, row * headDim, (row + 1) * headDim)
      ;(problem.v as Float32Array).fill(value, row * valueDim, (row + 1) * valueDim)
    }
  }
}

/** As the engine takes it: masks of the oracle are as large as all pairs. */
export const stated = (problem: OracleProblem): Problem => {
  const { batch, queryHeads, queries, keys } = problem
  const shape = [batch, queryHeads, queries, keys]
  return {
    ...problem,
    ...(problem.allowed && { allowedShape: shape }),
    ...(problem.bias && { biasShape: shape }),
  } as Problem
}
