// Attention as one writes it in plain JavaScript: a row of scores at a time.

export function attendInJavaScript({ q, k, v, queries, keys, queryHeads, kvHeads, headDim }) {
  const output = new Float32Array(queryHeads * queries * headDim)
  const weights = new Float32Array(keys)
  const scale = 1 / Math.sqrt(headDim)
  for (let h = 0; h < queryHeads; h++) {
    const kvHead = Math.floor(h / (queryHeads / kvHeads)) * keys * headDim
    for (let t = 0; t < queries; t++) {
      const row = (h * queries + t) * headDim
      const visible = keys - queries + t + 1
      let max = -Infinity
      for (let s = 0; s < visible; s++) {
        const key = kvHead + s * headDim
        let dot = 0
        for (let d = 0; d < headDim; d++) dot += q[row + d] * k[key + d]
        weights[s] = dot * scale
        max = Math.max(max, weights[s])
      }
      let sum = 0
      for (let s = 0; s < visible; s++) {
        weights[s] = Math.exp(weights[s] - max)
        sum += weights[s]
      }
      for (let s = 0; s < visible; s++) {
        const weight = weights[s] / sum
        const value = kvHead + s * headDim
        for (let d = 0; d < headDim; d++) output[row + d] += weight * v[value + d]
      }
    }
  }
  return output
}
