import { expect, test } from 'vitest'
import { means } from '../../../../web/src/lab/matrix/means.ts'
import { matrixOf, type Stage } from '../../../../web/src/lab/model/stage.ts'

const stage = (rows: number, columns: number, values: number[], hiddenBy: number[]): Stage => ({
  name: 'weights',
  axes: ['T', 'S'],
  shape: [rows, columns],
  strides: [columns, 1],
  values: Float32Array.from(values),
  hiddenBy: Uint8Array.from(hiddenBy),
})

test('a block is the mean of what is visible in it, hidden where nothing is', () => {
  // prettier-ignore
  const whole = stage(3, 3, [1, 2, 9, 3, 9, 9, 5, 9, 7], [0, 0, 1, 0, 1, 1, 0, 2, 0])
  const { rows, columns, stage: mean } = means(matrixOf(whole, []), 2)
  expect([rows, columns]).toEqual([2, 2])
  expect(Array.from(mean.values)).toEqual([2, 0, 5, 7])
  expect(Array.from(mean.hiddenBy ?? [])).toEqual([0, 1, 0, 0])
})

test('what is no number stays none, and what is hidden does no harm', () => {
  const whole = stage(2, 2, [1, Number.NaN, 3, 5], [0, 0, 0, 0])
  expect(Array.from(means(matrixOf(whole, []), 2).stage.values)).toEqual([Number.NaN])
  const hidden = stage(2, 2, [1, Number.NaN, 3, 5], [0, 1, 0, 0])
  expect(Array.from(means(matrixOf(hidden, []), 2).stage.values)).toEqual([3])
})

test('a block need not be square', () => {
  const whole = stage(4, 2, [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 0, 0, 0, 0])
  const { rows, columns, stage: mean } = means(matrixOf(whole, []), 2, 1)
  expect([rows, columns]).toEqual([2, 2])
  expect(Array.from(mean.values)).toEqual([2, 3, 6, 7])
})
