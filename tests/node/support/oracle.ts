// Attention in float64, written from the contract and from nothing in this
// project: the opinion that the engine's results are compared with.

export interface OracleProblem {
  q: ArrayLike<number>
  k: ArrayLike<number>
  v: ArrayLike<number>
  batch: number
  queryHeads: number
  kvHeads: number
  queries: number
  keys: number
  headDim: number
  valueDim: number
  layout: 'bhtd' | 'bthd'
  causal: boolean
  window?: { left?: number | undefined; right?: number | undefined } | undefined
  queryPositions?: ArrayLike<number> | undefined
  keyPositions?: ArrayLike<number> | undefined
  allowed?: ArrayLike<number> | undefined // [B, Hq, T, S]
  bias?: ArrayLike<number> | undefined // [B, Hq, T, S]
  scale?: number | undefined
  softcap?: number | undefined
}

type Round = (value: number) => number

/** The output; `round` is Math.fround for a plain float32 evaluation. */
export function oracle(p: OracleProblem, round: Round = (value) => value): Float64Array {
  const at =
    (layout: string, heads: number, rows: number, dim: number) => (b: number, h: number, r: number, d: number) =>
      layout === 'bhtd' ? ((b * heads + h) * rows + r) * dim + d : ((b * rows + r) * heads + h) * dim + d
  const qAt = at(p.layout, p.queryHeads, p.queries, p.headDim)
  const kAt = at(p.layout, p.kvHeads, p.keys, p.headDim)
  const vAt = at(p.layout, p.kvHeads, p.keys, p.valueDim)
  const oAt = at(p.layout, p.queryHeads, p.queries, p.valueDim)
  const position = (given: ArrayLike<number> | undefined, count: number, b: number, i: number, otherwise: number) =>
    given === undefined ? otherwise : (given[given.length === count ? i : b * count + i] as number)

  const output = new Float64Array(p.batch * p.queryHeads * p.queries * p.valueDim)
  const scale = round(p.scale ?? 1 / Math.sqrt(p.headDim))
  for (let b = 0; b < p.batch; b++) {
    for (let h = 0; h < p.queryHeads; h++) {
      const kv = Math.floor(h / (p.queryHeads / p.kvHeads))
      for (let i = 0; i < p.queries; i++) {
        const pq = position(p.queryPositions, p.queries, b, i, p.keys - p.queries + i)
        const scores: number[] = []
        for (let j = 0; j < p.keys; j++) {
          const pk = position(p.keyPositions, p.keys, b, j, j)
          const pair = ((b * p.queryHeads + h) * p.queries + i) * p.keys + j
          const hidden =
            (p.causal && pk > pq) ||
            (p.window?.left !== undefined && pq - pk > p.window.left) ||
            (p.window?.right !== undefined && pk - pq > p.window.right) ||
            (p.allowed !== undefined && !p.allowed[pair])
          let score = 0
          for (let d = 0; d < p.headDim; d++) {
            score = round(score + round((p.q[qAt(b, h, i, d)] as number) * (p.k[kAt(b, kv, j, d)] as number)))
          }
          score = round(score * scale)
          if (p.softcap) score = round(p.softcap * round(Math.tanh(round(score / p.softcap))))
          if (p.bias) score = round(score + (p.bias[pair] as number))
          scores.push(hidden ? -Infinity : score)
        }
        const visible = scores.flatMap((score, j) => (score === -Infinity ? [] : [j]))
        if (visible.length === 0) continue
        const max = Math.max(...visible.map((j) => scores[j] as number))
        let sum = 0
        const weights = visible.map((j) => round(Math.exp(round((scores[j] as number) - max))))
        for (const weight of weights) sum = round(sum + weight)
        for (let d = 0; d < p.valueDim; d++) {
          let value = 0
          visible.forEach((j, n) => {
            value = round(value + round(round((weights[n] as number) / sum) * (p.v[vAt(b, kv, j, d)] as number)))
          })
          output[oAt(b, h, i, d)] = value
        }
      }
    }
  }
  return output
}
