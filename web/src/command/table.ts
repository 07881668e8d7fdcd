import { loadAttention } from '../engine/index.ts'
import { sixTokens } from '../six-tokens.ts'
import { InputError } from './input-error.ts'

/** The causal weights of the six tokens as text, a row for each query. */
export async function table(args: string[]): Promise<string> {
  if (args.length > 0) throw new InputError(`table takes no arguments, but was given '${args.join(' ')}'.`)
  const attention = await loadAttention()
  const tokens = sixTokens.map(({ token }) => token)
  const x = sixTokens.flatMap(({ vector }) => vector)
  const { weights, hiddenBy } = attention.trace({
    ...{ q: x, k: x, v: x, scale: 1 },
    ...{ queries: tokens.length, keys: tokens.length, headDim: x.length / tokens.length },
  })
  const width = Math.max(...tokens.map((token) => token.length)) + 1
  const line = (label: string, cells: string[]) =>
    [label.padEnd(width), ...cells.map((cell) => cell.padStart(width))].join('').trimEnd()
  const rows = tokens.map((token, i) => {
    const cells = tokens.map((_, j) => {
      const at = i * tokens.length + j
      return hiddenBy[at] ? '·' : (weights[at] as number).toFixed(3)
    })
    return line(token, cells)
  })
  return `${[line('', tokens), ...rows].join('\n')}\n`
}
