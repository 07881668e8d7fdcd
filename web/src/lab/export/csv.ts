// A stage as CSV (RFC 4180): a line for each row of its matrices. The leading axes
// and the row's index come first, then the row's token if rows have tokens, then
// the values.

import type { Axis, Stage } from '../model/stage.ts'
import { shortest } from './numbers.ts'
import { rowMajor } from './row-major.ts'

/** The tokens along an axis, where it has any: the same for all sequences, or those of one after those of another. */
export type Labels = Partial<Record<Axis, readonly string[]>>

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/**
 * A token as a cell of its own. A spreadsheet takes what begins like a formula for
 * one; an apostrophe in front makes it text (OWASP, "CSV injection").
 */
const textCell = (token: string) => (/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(token) ? `'${token}` : token)

/** The text of the file. Non-finite values are nan, inf and -inf, as NumPy, pandas and R read them. */
export function csv(stage: Stage, labels: Labels = {}): string {
  const { axes, shape } = stage
  const values = rowMajor(stage)
  const columns = shape.at(-1) ?? 0
  const rowTokens = labels[axes.at(-2) as Axis]
  const columnTokens = sharedBySequences(labels[axes.at(-1) as Axis], columns)
  const batch = axes.indexOf('B')
  // The index keeps columns of equal tokens apart.
  const heads = Array.from({ length: columns }, (_, column) =>
    columnTokens?.[column] === undefined ? String(column) : `${column} ${columnTokens[column]}`,
  )
  const lines: string[][] = [[...axes.slice(0, -1), ...(rowTokens ? ['token'] : []), ...heads]]
  const rowAxes = shape.slice(0, -1)
  const rows = rowAxes.reduce((product, axis) => product * axis, 1)
  for (let row = 0; row < rows; ++row) {
    const index = unravel(row, rowAxes)
    const place = (index[batch] ?? 0) * (shape.at(-2) as number) + (index.at(-1) as number)
    const token = rowTokens ? [textCell(rowTokens[place % rowTokens.length] ?? '')] : []
    const cells = Array.from(values.subarray(row * columns, (row + 1) * columns), shortest)
    lines.push([...index.map(String), ...token, ...cells])
  }
  return lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('')
}

/** The tokens of `count` columns, where every sequence has the same; a column has one name. */
function sharedBySequences(tokens: readonly string[] | undefined, count: number): readonly string[] | undefined {
  return tokens?.every((token, at) => token === tokens[at % count]) ? tokens : undefined
}

/** The indices of a position in row-major order. */
function unravel(position: number, sizes: readonly number[]): number[] {
  const index: number[] = []
  let rest = position
  for (const size of [...sizes].reverse()) {
    index.unshift(rest % size)
    rest = Math.floor(rest / size)
  }
  return index
}
