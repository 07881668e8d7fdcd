import { expect, test } from 'vitest'
import { said, shortened, spansOf, step } from '../../../../web/src/lab/matrix/table.ts'
import { matrixOf, type Stage } from '../../../../web/src/lab/model/stage.ts'

const stage: Stage = {
  name: 'weights',
  axes: ['T', 'S'],
  shape: [2, 3],
  strides: [3, 1],
  values: Float32Array.of(0.25, Number.NaN, Number.POSITIVE_INFINITY, 0, 1, Number.NEGATIVE_INFINITY),
  hiddenBy: Uint8Array.of(0, 0, 0, 3, 0, 0),
  hiddenNames: ['causal', 'window-left'],
}
const matrix = matrixOf(stage, [])

test('a cell says its number, or in words what it is instead', () => {
  const all = [0, 1].flatMap((row) => [0, 1, 2].map((column) => said(matrix, { row, column })))
  expect(all).toEqual([
    '0.250',
    'not a number',
    'infinity',
    'hidden: causal rule and window',
    '1.000',
    'minus infinity',
  ])
})

test('small tables are whole; of large ones the neighbourhood is there', () => {
  expect(spansOf(16, 16, { row: 3, column: 3 })).toEqual({ rows: { from: 0, to: 16 }, columns: { from: 0, to: 16 } })
  const { rows, columns } = spansOf(512, 512, { row: 511, column: 0 })
  expect(rows).toEqual({ from: 510, to: 512 })
  expect(columns.from).toBe(0)
  // Few enough that a change is cheap.
  expect((rows.to - rows.from) * (columns.to - columns.from)).toBeLessThan(200)
})

test('keys lead to cells that there are', () => {
  const at = { row: 1, column: 1 }
  const to = (key: string, control = false) => step(key, control, at, matrix)
  expect(to('ArrowUp')).toEqual({ row: 0, column: 1 })
  expect(to('ArrowDown')).toEqual(at)
  expect(to('Home')).toEqual({ row: 1, column: 0 })
  expect(to('End')).toEqual({ row: 1, column: 2 })
  expect(to('Home', true)).toEqual({ row: 0, column: 0 })
  expect(to('End', true)).toEqual({ row: 1, column: 2 })
  expect(to('PageUp')).toEqual({ row: 0, column: 1 })
  expect(to('a')).toBeUndefined()
})

test('token-unicode-long: a label is shortened between characters', () => {
  expect(shortened('short')).toBe('short')
  expect(shortened('x'.repeat(300))).toBe(`${'x'.repeat(24)}…`)
  const scientist = '👩‍🔬'
  expect(shortened(scientist.repeat(5))).toBe(scientist.repeat(5))
  expect(shortened(scientist.repeat(30))).toBe(`${scientist.repeat(24)}…`)
})
