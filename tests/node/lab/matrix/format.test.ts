import { expect, test } from 'vitest'
import { digits, parseNumber, shortest, significant } from '../../../../web/src/lab/matrix/format.ts'

test.each([
  [0, '0'],
  [-0, '0'],
  [1, '1'],
  [-2, '−2'],
  [0.43, '0.43'],
  [0.4300001, '0.430'],
  [0.9544, '0.954'],
  [1 / 3, '0.333'],
  [0.9996, '1.000'],
  [9.994, '9.99'],
  [9.996, '10.0'],
  [99.96, '100'],
  [-12.345, '−12.3'],
  [1234.5, '1235'],
  [99_999, '99999'],
  [99_999.6, '1.00e5'],
  [1e5, '1e5'],
  [0.0004, '4e−4'],
  [-1.234e-7, '−1.23e−7'],
  [1e38, '1e38'],
  [-1.5e38, '−1.5e38'],
  [3.14159e38, '3.14e38'],
  [0.0006, '0.001'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, '∞'],
  [Number.NEGATIVE_INFINITY, '−∞'],
])('%d is written %s', (value, text) => {
  expect(significant(value)).toBe(text)
})

test('where there is less room a power of ten has fewer digits', () => {
  expect([3, 2, 1].map((most) => significant(-3.14159e38, most))).toEqual(['−3.14e38', '−3.1e38', '−3e38'])
  expect(digits(1234.5, 'scores', 1)).toBe('1235')
})

test('weights always have three decimals', () => {
  expect([0, 1, 0.13847, 1e-9].map((value) => digits(value, 'weights'))).toEqual(['0.000', '1.000', '0.138', '0.000'])
  expect(digits(1, 'scores')).toBe('1')
})

test.each([
  ['0.5', 0.5],
  [' -1.25 ', -1.25],
  ['−1.25', -1.25],
  ['+3', 3],
  ['.5', 0.5],
  ['5.', 5],
  ['1e-3', 0.001],
  // slider-steps: a comma is a decimal point or refused, never left out and never an end.
  ['0,5', 0.5],
  ['0,125', 0.125],
  ['-2,75', -2.75],
  ['1,000', 'comma'],
  ['12,345', 'comma'],
  ['1,0000', 1],
  ['1,000,000', 'word'],
  ['1.000,5', 'word'],
  ['', 'empty'],
  ['  ', 'empty'],
  ['five', 'word'],
  ['0x10', 'word'],
  ['NaN', 'word'],
  ['Infinity', 'word'],
  ['1 2', 'word'],
  ['--1', 'word'],
  ['1e39', 'large'],
  ['-1e39', 'large'],
] as const)('%o is read as %o', (text, expected) => {
  expect(parseNumber(text)).toBe(expected)
})

test('an editor shows the fewest digits that are the same 32-bit number', () => {
  for (const text of ['0.43', '−1.25', '100', '0', '123456.7']) {
    expect(shortest(Math.fround(Number(text.replace('−', '-'))))).toBe(text)
  }
  let seed = 1
  for (let i = 0; i < 1000; ++i) {
    seed = (seed * 48271) % 2147483647
    const value = Math.fround((seed / 2147483647 - 0.5) * 10 ** ((i % 20) - 10))
    const back = parseNumber(shortest(value))
    expect(Math.fround(back as number), `${value} shown as ${shortest(value)}`).toBe(value)
  }
})
