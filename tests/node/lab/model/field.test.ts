// What each kind of field reads and writes, and what it refuses.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  choice,
  count,
  edits,
  type Field,
  flag,
  following,
  list,
  number,
  pairs,
  text,
} from '../../../../web/src/lab/model/field.ts'
import { fields, names } from '../../../../web/src/lab/model/state.ts'
import { states } from '../support/states.ts'

const read = (field: Field, written: string) => field.read(written)
const write = (field: Field, value: unknown) => (field.write as (value: unknown) => string)(value)

/** Names that every object of JavaScript has. */
const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'fromText']

test('every field of the table reads what it writes', () => {
  fc.assert(
    fc.property(states, (state) => {
      for (const name of names) {
        const field: Field = fields[name]
        const value = state[name]
        if (value !== undefined) expect(read(field, write(field, value)), name).toEqual(value)
      }
    }),
    { numRuns: 200 },
  )
})

test('a text that no field has written is refused or is a value that is written again', () => {
  const written = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.stringMatching(/^[-0-9.,:e ]{0,12}$/),
    fc.constantFrom(...inherited),
  )
  fc.assert(
    fc.property(written, (text) => {
      for (const name of names) {
        const field: Field = fields[name]
        const value = read(field, text)
        if (value !== undefined) expect(read(field, write(field, value)), name).toEqual(value)
      }
    }),
    { numRuns: 2000 },
  )
})

test('a flag: an attribute without a value is on', () => {
  const field = flag('', '', false)
  expect(['', '1', 'true', '0', 'false'].map((text) => read(field, text))).toEqual([true, true, true, false, false])
  expect(['yes', 'True', '2', ' 1', ...inherited].map((text) => read(field, text))).toEqual(Array(9).fill(undefined))
})

test('a count: whole numbers within its range', () => {
  const field = count('', '', 3, 0, 20)
  expect(['0', '7', '20'].map((text) => read(field, text))).toEqual([0, 7, 20])
  for (const text of ['', '-1', '21', '1.5', '1,5', '1e1', '0x10', ' 3', '3 ', '+3', '٣', 'NaN', ...inherited]) {
    expect(read(field, text), `“${text}”`).toBeUndefined()
  }
  expect(field.expects).toBe('a whole number from 0 to 20')
})

test('a count that follows another has no value of its own at first', () => {
  expect(following('', '', 1, 4).start).toBeUndefined()
})

describe('slider-steps: a number', () => {
  const field = number('', '', 0, { least: -10, most: 10, step: 0.1 })

  test('a comma is a decimal point', () => {
    expect(['0,5', '0.5', ',5', '−0,5', '-.5', '1e-3'].map((text) => read(field, text))).toEqual([
      0.5, 0.5, 0.5, -0.5, -0.5, 0.001,
    ])
  })

  test('what could be two numbers, or is none, is refused', () => {
    for (const text of ['', '1,000', '1.000,5', '0,5,5', '10.1', '-11', 'NaN', 'Infinity', '1e999', ...inherited]) {
      expect(read(field, text), `“${text}”`).toBeUndefined()
    }
    expect(field.expects).toBe('a number from −10 to 10')
  })
})

test('a choice: its options and nothing that all objects have', () => {
  const field = choice('', '', 'a', { a: 'A', b: 'B' })
  expect(['a', 'b'].map((text) => read(field, text))).toEqual(['a', 'b'])
  for (const text of ['', 'A', 'c', ...inherited]) expect(read(field, text), `“${text}”`).toBeUndefined()
  expect(field.expects).toBe('one of a, b')
})

test('a list: whole numbers, with commas or spaces between them', () => {
  const field = list('', '', [], { least: -5, most: 9 })
  expect(['', ' ', '3', '-5,0,9', '1 2', '1, 2'].map((text) => read(field, text))).toEqual([
    [],
    [],
    [3],
    [-5, 0, 9],
    [1, 2],
    [1, 2],
  ])
  for (const text of ['10', '1,x', '1.5', ',', '1,,2,', '1;2']) expect(read(field, text), `“${text}”`).toBeUndefined()
})

test('pairs: cells by row and column, each with one name', () => {
  const field = pairs('', '')
  expect(read(field, '')).toEqual(new Set())
  expect(read(field, '2.0,3.1')).toEqual(new Set(['2.0', '3.1']))
  // "02.0" would be another name of 2.0, one that no cell answers to.
  for (const text of ['2', '2.', '2.0,', '02.0', '2.00', '-1.0', '2.0.1', '10000.0', 'a.b']) {
    expect(read(field, text), `“${text}”`).toBeUndefined()
  }
})

describe('edits: cells and their numbers', () => {
  const field = edits('', '')

  test('as they are written', () => {
    expect(read(field, '')).toEqual(new Map())
    expect(read(field, '2.0:0.5,3.1:-1')).toEqual(
      new Map([
        ['2.0', 0.5],
        ['3.1', -1],
      ]),
    )
  })

  test('anything else is refused', () => {
    for (const text of ['2.0', '2.0:', '2.0:x', ':1', '02.0:1', '2.0:1:2', '2.0:1,', '2.0:NaN', '2.0:1e39']) {
      expect(read(field, text), `“${text}”`).toBeUndefined()
    }
  })

  test('the number that a matrix holds comes back to the last bit, however many digits were typed', () => {
    // Between two numbers of 32 bits, and nine digits of it lie on the other side of their middle.
    const typed = 1 + 13 * 2 ** -24 + 2 ** -50
    const again = read(field, write(field, new Map([['0.0', typed]]))) as Map<string, number>
    expect(Math.fround(again.get('0.0') as number)).toBe(Math.fround(typed))
  })
})

test('a text is taken as it is', () => {
  expect(['', ' ', '<s>', '\n'].map((written) => read(text('', '', ''), written))).toEqual(['', ' ', '<s>', '\n'])
})
