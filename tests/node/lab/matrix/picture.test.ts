// When a picture need not be drawn again.

import { describe, expect, test } from 'vitest'
import { sameCells } from '../../../../web/src/lab/matrix/picture.ts'
import { type Matrix, matrixOf } from '../../../../web/src/lab/model/stage.ts'

/** Two heads of 2 × 3, rows of heads side by side as a trace has them. */
function matrix(values: readonly number[], hidden: readonly number[] = [], head = 0): Matrix {
  const stage = {
    name: 'masked',
    axes: ['Hq', 'T', 'S'],
    shape: [2, 2, 3],
    strides: [3, 6, 1],
    values: Float32Array.from(values),
    ...(hidden.length > 0 && { hiddenBy: Uint16Array.from(hidden) }),
  } as const
  return matrixOf(stage, [head])
}

const numbers = [0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15]
const changed = (at: number, value: number) => numbers.with(at, value)

describe('the cells of two matrices are the same', () => {
  test('with the same numbers in other memory', () => {
    expect(sameCells(matrix(numbers), matrix(numbers))).toBe(true)
  })

  test('but not with another number, wherever it is', () => {
    for (const at of [0, 2, 6, 8]) expect(sameCells(matrix(numbers), matrix(changed(at, 7))), String(at)).toBe(false)
  })

  test('whatever the other head has', () => {
    expect(sameCells(matrix(numbers), matrix(changed(3, 7)))).toBe(true)
    expect(sameCells(matrix(numbers, [], 1), matrix(changed(3, 7), [], 1))).toBe(false)
  })

  test('NaN like NaN, and not like a number', () => {
    const strange = changed(6, Number.NaN)
    expect(sameCells(matrix(strange), matrix(strange))).toBe(true)
    expect(sameCells(matrix(strange), matrix(numbers))).toBe(false)
  })

  test('but not where another rule hides one', () => {
    const hidden = (rule: number) => numbers.map((_, at) => (at === 6 ? rule : 0))
    expect(sameCells(matrix(numbers, hidden(1)), matrix(numbers, hidden(1)))).toBe(true)
    expect(sameCells(matrix(numbers, hidden(1)), matrix(numbers, hidden(2)))).toBe(false)
    expect(sameCells(matrix(numbers, hidden(1)), matrix(numbers))).toBe(false)
  })

  test('but not with other counts of rows and columns', () => {
    const turned = { ...matrix(numbers), rows: 3, columns: 2 }
    expect(sameCells(matrix(numbers), turned)).toBe(false)
  })
})
