// The tokens' vectors: given ones for six words, made-up ones for all else.
// These are the inputs; whatever follows from them is the core's to compute.

import { sixTokens } from '../six-tokens.ts'

const given = new Map<string, readonly number[]>(sixTokens.map(({ token, vector }) => [token, vector]))

/** A feature of a token's vector; those that are made up differ from seed to seed. */
export const feature = (token: string, index: number, seed = 0): number =>
  given.get(token)?.[index] ?? madeUp(hash(token) + Math.imul(seed, 0x85ebca6b), index)

/** FNV-1a over the token's UTF-16 code units. */
function hash(token: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < token.length; ++index) {
    value = Math.imul(value ^ token.charCodeAt(index), 0x01000193)
  }
  return value
}

/** A number of two decimals from -0.99 to 0.99, the same for the same seed and index. */
function madeUp(seed: number, index: number): number {
  let value = (seed + Math.imul(index + 1, 0x9e3779b9)) | 0
  value = Math.imul(value ^ (value >>> 16), 0x21f0aaad)
  value = Math.imul(value ^ (value >>> 15), 0x735a2d97)
  value ^= value >>> 15
  return (((value >>> 0) % 199) - 99) / 100
}

/** The first `features` features of each token, row-major [T, features]. */
export function matrix(tokens: readonly string[], features: number, seed = 0): Float32Array {
  const values = new Float32Array(tokens.length * features)
  tokens.forEach((token, row) => {
    for (let index = 0; index < features; ++index) values[row * features + index] = feature(token, index, seed)
  })
  return values
}
