// What is written in a cell, said of it, and read from a person's hand.

import { rounded, typeset, weight } from '../format.ts'
import type { StageName } from '../model/stage.ts'
import { matrixWords as words } from '../words.ts'
import type { Range } from './range.ts'

/** A number in a cell: a weight has three decimals, any other three digits that count. */
export const digits = (value: number, stage: StageName, most = 3): string =>
  stage === 'weights' ? weight(value) : significant(value, most)

/**
 * Three digits that count, but no more than three decimals; trailing zeros only
 * where something was rounded away. "0.43" is 0.43 exactly, "0.430" nearly. A power of
 * ten is longer: it has `most` digits before its exponent.
 */
export function significant(value: number, most = 3): string {
  const size = Math.abs(value)
  if (!Number.isFinite(value) || size === 0) return rounded(value, 0)
  // From where rounding to the decimals below would give another power of ten.
  if (size >= 99_999.5 || size < 0.0005) return powerOfTen(value, most)
  const decimals = size < 1 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0
  for (let fewer = 0; fewer < decimals; ++fewer) {
    if (Math.fround(Number(value.toFixed(fewer))) === Math.fround(value)) return rounded(value, fewer)
  }
  return rounded(value, decimals)
}

function powerOfTen(value: number, most: number): string {
  const texts = Array.from({ length: most }, (_, decimals) => value.toExponential(decimals))
  const text = texts.find((text) => Math.fround(Number(text)) === Math.fround(value)) ?? (texts.at(-1) as string)
  return typeset(text.replace('e+', 'e'))
}

/** The larger end of a legend. */
export const endOf = ({ max, open }: Range): string => (open ? words.legendOpen(significant(max)) : significant(max))

/** Why a text is no number that a cell can hold. */
export type Refusal = 'empty' | 'word' | 'comma' | 'large'

/**
 * The number that a person has typed. A comma is read as a decimal point, since some
 * keyboards have no other; "1,000", which could be one or a thousand, is refused.
 */
export function parseNumber(text: string): number | Refusal {
  const plain = text.trim().replaceAll('−', '-')
  if (plain === '') return 'empty'
  if (/^[+-]?[1-9]\d*,\d{3}$/.test(plain)) return 'comma'
  if (!/^[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?$/i.test(plain)) return 'word'
  const value = Number(plain.replace(',', '.'))
  return Number.isFinite(Math.fround(value)) ? value : 'large'
}

/** The fewest digits that name the 32-bit number and no other, as an editor shows it. */
export function shortest(value: number): string {
  for (let precision = 1; precision <= 9; ++precision) {
    const number = Number(value.toPrecision(precision))
    if (Math.fround(number) === Math.fround(value)) return typeset(String(number))
  }
  return rounded(value, 0)
}
