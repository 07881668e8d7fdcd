// Attention over tokens' vectors, written down once more in double precision, to
// hold the page's numbers against.

interface Question {
  readonly vectors: number[][]
  readonly queryHeads: number
  readonly kvHeads: number
  readonly scale: number
  readonly sees: (query: number, key: number) => boolean
}

/** The weights of one head, as the page writes them; 'hidden' where the query sees nothing. */
export function expectedWeights({ vectors, queryHeads, kvHeads, scale, sees }: Question, head: number): string[][] {
  const dim = (vectors[0]?.length ?? 0) / queryHeads
  const part = (row: number[], index: number) => row.slice(index * dim, (index + 1) * dim)
  const kvHead = Math.floor(head / (queryHeads / kvHeads))
  return vectors.map((query, i) => {
    const exponentials = vectors.map((key, j) => {
      if (!sees(i, j)) return undefined
      const keyPart = part(key, kvHead)
      return Math.exp(scale * part(query, head).reduce((sum, value, d) => sum + value * (keyPart[d] ?? 0), 0))
    })
    const total = exponentials.reduce<number>((sum, value) => sum + (value ?? 0), 0)
    return exponentials.map((value) => (value === undefined ? 'hidden' : (value / total).toFixed(3)))
  })
}

export const causal = (query: number, key: number) => key <= query
