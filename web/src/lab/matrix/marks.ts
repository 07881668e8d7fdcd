// What a cell is besides its number: hidden by a rule, not a number, infinite. Each
// rule has a pattern of its own, by its place in the stage's list of rules.

import { isHeld, type Matrix } from '../model/stage.ts'

/** A line across a pattern's square, or a dot at x and y of its side. */
export type Stroke = 'rising' | 'falling' | 'upright' | 'level' | readonly [x: number, y: number]

/** What a rule's pattern is made of, by the rule's place; a ninth rule looks like the first. */
const patterns: readonly (readonly Stroke[])[] = [
  ['rising'],
  ['falling'],
  ['upright'],
  [[0.5, 0.5]],
  ['level'],
  ['rising', 'falling'],
  ['upright', 'level'],
  [
    [0.25, 0.25],
    [0.75, 0.75],
  ],
]

export const patternOf = (rule: number) => patterns[rule % patterns.length] as readonly Stroke[]

/** The first of the rules that a hidden cell's bits name. */
export const firstRule = (bits: number) => 31 - Math.clz32(bits & -bits)

/** The names of the rules that hide a cell; none if it is visible. */
export const rulesOf = (bits: number, names: readonly string[]) => names.filter((_, bit) => (bits >> bit) & 1)

/** What occurs in matrices and is no number of the legend's range. */
export interface Marks {
  /** The bits of rules that are the first to hide some cell. */
  readonly rules: readonly number[]
  readonly notANumber: boolean
  readonly infinite: boolean
}

export function marksOf(matrices: readonly Matrix[]): Marks {
  let rules = 0
  let notANumber = false
  let infinite = false
  for (const { rows, columns, offset, rowStride, columnStride, stage } of matrices) {
    const held = isHeld(stage)
    for (let row = 0; row < rows; ++row) {
      for (let column = 0, at = offset + row * rowStride; column < columns; ++column, at += columnStride) {
        const bits = stage.hiddenBy?.[at] ?? 0
        const value = stage.values[at] as number
        if (bits !== 0) rules |= bits & -bits
        else if (!held) continue
        // NaN where the value is no finite number.
        else if (value - value === 0) continue
        else if (Number.isNaN(value)) notANumber = true
        else infinite = true
      }
    }
  }
  return {
    rules: Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => (rules >>> bit) & 1),
    notANumber,
    infinite,
  }
}
