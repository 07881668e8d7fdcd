// The kinds of field that a state can have: what each may hold, and how it is
// written in an address and an attribute. A value that a text cannot be read as is
// refused, never bent into another one.

import { shortest } from '../export/numbers.ts'
import { parseNumber } from '../matrix/format.ts'
import { fieldWords as words } from '../words.ts'

interface Common<Value> {
  readonly label: string
  /** The name in an address; short, since people read and shorten addresses. */
  readonly key: string
  readonly start: Value
  /** The value of a text; undefined if it is none. */
  read(text: string): Value | undefined
  /** The text of a value; read() gives the value again. */
  write(value: Value): string
  /** What read() takes, for the sentence that refuses the rest. */
  readonly expects: string
}

export interface TextField extends Common<string> {
  readonly kind: 'text'
}
export interface FlagField extends Common<boolean> {
  readonly kind: 'flag'
}
/** A whole number; where undefined it follows another field. */
export interface CountField<Value extends number | undefined = number> extends Common<Value> {
  readonly kind: 'count'
  readonly least: number
  readonly most: number
}
export interface NumberField extends Common<number> {
  readonly kind: 'number'
  readonly least: number
  readonly most: number
  readonly step: number
}
export interface ChoiceField<Option extends string> extends Common<Option> {
  readonly kind: 'choice'
  readonly options: Readonly<Record<Option, string>>
}
/** Whole numbers one after the other, such as positions; as many as one likes, unless `length` says how many. */
export interface ListField extends Common<readonly number[]> {
  readonly kind: 'list'
  readonly length: number | undefined
}
/** Pairs of indices, such as cells that are painted over. */
export interface PairsField extends Common<Pairs> {
  readonly kind: 'pairs'
}
/** Numbers that a person has put in a matrix. */
export interface EditsField extends Common<Edits> {
  readonly kind: 'edits'
}

/** Cells by "row.column". */
export type Pairs = ReadonlySet<string>
export type Edits = ReadonlyMap<string, number>
export const at = (row: number, column: number) => `${row}.${column}`
export const cellOf = (name: string) => name.split('.').map(Number) as [row: number, column: number]

export type Field =
  | TextField
  | FlagField
  | CountField
  | CountField<number | undefined>
  | NumberField
  | ChoiceField<string>
  | ListField
  | PairsField
  | EditsField

export const text = (label: string, key: string, start: string): TextField => ({
  kind: 'text',
  label,
  key,
  start,
  read: (written) => written,
  write: (value) => value,
  expects: words.text,
})

/** An attribute without a value is on. */
const flags = new Map([...['', '1', 'true'].map((on) => [on, true] as const), ['0', false], ['false', false]])

export const flag = (label: string, key: string, start: boolean): FlagField => ({
  kind: 'flag',
  label,
  key,
  start,
  read: (written) => flags.get(written),
  write: (value) => (value ? '1' : '0'),
  expects: words.flag,
})

const whole = (written: string) => (/^-?\d{1,9}$/.test(written) ? Number(written) : undefined)
/** The value if it lies in the range; -0 is 0, as it is written. */
const within = (value: number | undefined, least: number, most: number) =>
  value !== undefined && value >= least && value <= most ? value + 0 : undefined

const countOf = <Value extends number | undefined>(
  label: string,
  key: string,
  start: Value,
  least: number,
  most: number,
): CountField<Value> => ({
  kind: 'count',
  label,
  key,
  start,
  least,
  most,
  read: (written) => within(whole(written), least, most) as Value | undefined,
  write: String,
  expects: words.count(least, most),
})

export const count = (label: string, key: string, start: number, least: number, most: number) =>
  countOf<number>(label, key, start, least, most)

/** A count that follows another field until it is given a value of its own. */
export const following = (label: string, key: string, least: number, most: number) =>
  countOf<number | undefined>(label, key, undefined, least, most)

export const number = (
  label: string,
  key: string,
  start: number,
  { least, most, step }: { least: number; most: number; step: number },
): NumberField => ({
  kind: 'number',
  label,
  key,
  start,
  least,
  most,
  step,
  read: (written) => {
    const value = parseNumber(written)
    return typeof value === 'number' ? within(value, least, most) : undefined
  },
  write: String,
  expects: words.number(least, most),
})

export const choice = <Option extends string>(
  label: string,
  key: string,
  start: NoInfer<Option>,
  options: Readonly<Record<Option, string>>,
): ChoiceField<Option> => ({
  kind: 'choice',
  label,
  key,
  start,
  options,
  read: (written) => (Object.hasOwn(options, written) ? (written as Option) : undefined),
  write: (value) => value,
  expects: words.choice(Object.keys(options)),
})

export const list = (
  label: string,
  key: string,
  start: readonly number[],
  { least, most, length }: { least: number; most: number; length?: number },
): ListField => ({
  kind: 'list',
  label,
  key,
  start,
  length,
  read: (written) => {
    const parts = written.trim() === '' ? [] : written.trim().split(/\s*,\s*|\s+/)
    const values = parts.map((part) => within(whole(part), least, most))
    const isLong = length === undefined || values.length === length
    return isLong && values.every((value) => value !== undefined) ? values : undefined
  },
  write: (values) => values.join(','),
  expects: words.list(least, most, length),
})

/** No leading zeros: a cell has one name. */
const cellPattern = /^(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})$/

export const pairs = (label: string, key: string): PairsField => ({
  kind: 'pairs',
  label,
  key,
  start: new Set(),
  read: (written) => {
    const cells = written === '' ? [] : written.split(',')
    return cells.every((cell) => cellPattern.test(cell)) ? new Set(cells) : undefined
  },
  // Sorted, so that the order of the strokes makes no difference.
  write: (cells) => [...cells].sort().join(','),
  expects: words.pairs,
})

/** As a matrix holds it, with 32 bits. */
const single = <Refused>(value: number | Refused) => (typeof value === 'number' ? Math.fround(value) : value)

export const edits = (label: string, key: string): EditsField => ({
  kind: 'edits',
  label,
  key,
  start: new Map(),
  read: (written) => {
    const entries = written === '' ? [] : written.split(',').map((edit) => edit.split(':'))
    const numbers = entries.map(([cell = '', value = '']) => [cell, single(parseNumber(value))] as const)
    const fits = entries.every((entry) => entry.length === 2)
    if (!fits || !numbers.every(([cell, value]) => cellPattern.test(cell) && typeof value === 'number'))
      return undefined
    return new Map(numbers as [string, number][])
  },
  write: (values) =>
    [...values]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([cell, value]) => `${cell}:${shortest(Math.fround(value))}`)
      .join(','),
  expects: words.edits,
})
