// The problems: sizes, and unit-scale inputs that are the same in every run.

/** Uniform numbers of mean 0 and variance 1, by the mulberry32 generator. */
function uniform(size, seed) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return Float32Array.from({ length: size }, () => Math.sqrt(12) * (next() - 0.5))
}

/** A causal problem of one batch item, as attend() takes it. */
export function problemOf({ queries, keys = queries, queryHeads = 1, kvHeads = queryHeads, headDim, ...rest }) {
  return {
    ...{ queries, keys, queryHeads, kvHeads, headDim, ...rest },
    q: uniform(queryHeads * queries * headDim, 1),
    k: uniform(kvHeads * keys * headDim, 2),
    v: uniform(kvHeads * keys * headDim, 3),
  }
}

/** [H, T, D] as [T, H * D]. */
export function tokensFirst(values, heads, tokens, dim) {
  const moved = new Float32Array(values.length)
  for (let h = 0; h < heads; h++) {
    for (let t = 0; t < tokens; t++) {
      const from = (h * tokens + t) * dim
      moved.set(values.subarray(from, from + dim), (t * heads + h) * dim)
    }
  }
  return moved
}

/** The tokens from `begin` to before `end` of [H, T, D]. */
export function sliceTokens(values, heads, dim, begin, end) {
  const tokens = values.length / (heads * dim)
  const size = (end - begin) * dim
  const sliced = new Float32Array(heads * size)
  for (let h = 0; h < heads; h++) {
    const from = (h * tokens + begin) * dim
    sliced.set(values.subarray(from, from + size), h * size)
  }
  return sliced
}

/** [Hkv, S, D] as [Hq, S, D], each head as often as query heads read it. */
export function repeatHeads(values, { queryHeads, kvHeads, keys, headDim }) {
  const repeated = new Float32Array(queryHeads * keys * headDim)
  for (let h = 0; h < queryHeads; h++) {
    const from = Math.floor(h / (queryHeads / kvHeads)) * keys * headDim
    repeated.set(values.subarray(from, from + keys * headDim), h * keys * headDim)
  }
  return repeated
}

/** Bytes of q, k, v and the output. */
export const tensorBytes = ({ q, k, v }) => 4 * (2 * q.length + k.length + v.length)
