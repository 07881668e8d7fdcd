// The words of a drawn matrix, its legend and its lens.

import type { Axis } from '../model/stage.ts'
import { ruleName } from './rules.ts'

/** What a row or a column of a matrix stands for. */
export type LabelKind = 'query' | 'key' | 'value' | 'token' | 'feature'

const kinds: Readonly<Record<LabelKind, string>> = {
  query: 'query',
  key: 'key',
  value: 'value',
  token: 'token',
  feature: 'feature',
}

export const matrixWords = {
  kind: (kind: LabelKind) => kinds[kind],
  hidden: (names: readonly string[]) => `hidden: ${names.map(ruleName).join(' and ')}`,
  notANumber: 'not a number',
  infinite: (value: number) => (value < 0 ? 'minus infinity' : 'infinity'),
  empty: (rows: number, columns: number) => `Nothing to draw: ${rows} × ${columns}.`,
  /** Where the lens or an editor stands. */
  at: (row: string, column: string) => `row ${row}, column ${column}`,
  keys: 'Arrow keys move from cell to cell.',
  keysEditing: 'Arrow keys move from cell to cell, Enter edits.',
  keysPainting: 'Arrow keys move from cell to cell, Space hides or shows.',
  averaged: (count: number) => `Each pixel is the mean of ${count} × ${count} values; the lens shows them one by one.`,
  schematic: (name: string, rows: string, columns: string) =>
    `${name}: ${rows} by ${columns}, too many to draw one by one.`,
  schematicNote: (rows: number, columns: number) => `${rows} × ${columns} are too many to draw one by one.`,
  schematicShows: 'This is the shape, and tinted what is visible.',
  notHeld:
    'With all heads there are too many pairs to hold at once: the output was computed without ever having them all.',
  notInTable: 'number in the card',
  noPicture: 'This is too large to be saved as a picture.',
  axis: (axis: Axis, size: number) => `${axis} = ${size}`,
  refusals: {
    empty: 'Type a number, or press Escape.',
    word: 'This is not a number. Write it like 0.5 or −1.25.',
    comma: 'This could be one or a thousand. Write 1.0 or 1000.',
    large: 'This is too large for a 32-bit number.',
  },

  /** Between a legend's two numbers, for those who don't see the colours. */
  legendTo: 'to',
  legendHidden: (name: string) => `hidden: ${ruleName(name)}`,
  legendNotANumber: 'not a number',
  legendInfinite: 'infinite',

  queryHead: (head: number) => `Query head ${head}`,
  kvHead: (head: number) => `KV head ${head}`,
  reads: ' reads ',
  showAlone: 'Show this head alone',
  showAll: 'Show all heads',
} satisfies Record<string, unknown>
