import { expect, test } from 'vitest'
import { paletteOf, steps } from '../../../../web/src/lab/matrix/palette.ts'
import { indexOf, rangeOf, rangeOfWeights, scaleOf } from '../../../../web/src/lab/matrix/range.ts'
import { type Matrix, matrixOf, type Stage } from '../../../../web/src/lab/model/stage.ts'

const palette = paletteOf(false)

function matrix(values: number[][], rest: Partial<Stage> = {}): Matrix {
  const [rows, columns] = [values.length, values[0]?.length ?? 0]
  const stage: Stage = {
    name: 'scores',
    axes: ['T', 'S'],
    shape: [rows, columns],
    strides: [columns, 1],
    values: Float32Array.from(values.flat()),
    ...rest,
  }
  return matrixOf(stage, [])
}

test('without numbers below zero the scale has one hue, from end to end', () => {
  const scale = scaleOf({ min: 0, max: 1 }, palette)
  expect(scale.ramp).toBe(palette.sequential)
  expect([0, 0.5, 1].map((value) => indexOf(value, scale))).toEqual([0, Math.round(steps / 2), steps])
})

test('with them it has two, zero in the middle and both signs to one measure', () => {
  const scale = scaleOf({ min: -1, max: 4 }, palette)
  expect(scale.ramp).toBe(palette.diverging)
  expect(indexOf(0, scale)).toBe(steps)
  expect(indexOf(4, scale)).toBe(2 * steps)
  expect(steps - indexOf(-1, scale)).toBe(indexOf(1, scale) - steps)
  expect(indexOf(-4, scale)).toBe(0)
})

test('what is beyond the range has the colour of its end', () => {
  const scale = scaleOf({ min: 0, max: 1 }, palette)
  expect([-3, 7, 1e30, -1e30].map((value) => indexOf(value, scale))).toEqual([0, steps, steps, 0])
})

test.each([
  ['all zero', { min: 0, max: 0 }, 0],
  ['all two', { min: 2, max: 2 }, 2],
  ['none at all', { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }, 0],
  ['not a number', { min: Number.NaN, max: Number.NaN }, 0],
])('a flat range has one colour: %s', (_, range, value) => {
  const index = indexOf(value, scaleOf(range, palette))
  expect(index).toBeGreaterThanOrEqual(0)
  expect(index).toBeLessThanOrEqual(steps)
  expect(Number.isInteger(index)).toBe(true)
})

test('colour-range: the range is that of what is finite and visible, and holds zero', () => {
  const values = [
    [0.5, Number.NaN, 9],
    [Number.NEGATIVE_INFINITY, 2, Number.POSITIVE_INFINITY],
  ]
  expect(rangeOf([matrix(values, { hiddenBy: Uint8Array.of(0, 0, 1, 0, 0, 0) })])).toEqual({ min: 0, max: 2 })
  expect(rangeOf([matrix([[-3, -1]]), matrix([[1, 2]])])).toEqual({ min: -3, max: 2 })
  expect(rangeOf([matrix([])])).toEqual({ min: 0, max: 0 })
})

test('a range follows the strides', () => {
  const stage: Stage = {
    name: 'q',
    axes: ['Hq', 'T', 'D'],
    // Two heads of one feature each, interleaved: [T, Hq * D] seen as [Hq, T, D].
    shape: [2, 3, 1],
    strides: [1, 2, 1],
    values: Float32Array.of(1, 10, 2, 20, 3, 30),
  }
  expect(rangeOf([matrixOf(stage, [0])])).toEqual({ min: 0, max: 3 })
  expect(rangeOf([matrixOf(stage, [1])])).toEqual({ min: 0, max: 30 })
})

/** Rows of uniform causal attention, of as many keys as rows; `sharp`: all of it to one key. */
const causal = (keys: number, sharp = false) =>
  Array.from({ length: keys }, (_, query) =>
    Array.from({ length: keys }, (_, key) => (key > query ? 0 : sharp ? Number(key === query) : 1 / (query + 1))),
  )

test.each<[string, number[][], number]>([
  ['few keys', causal(16), 1],
  // In a row that sees n keys all weights are 1 / n: of 17 rows the first four, of 512 the first 99 are beyond.
  ['17 keys', causal(17), 0.2],
  ['512 keys', causal(512), 0.01],
  ['many keys of which one gets all', causal(512, true), 1],
  ['a row that sees none', [new Array(20).fill(0)], 1],
  ['NaN', [[Number.NaN, ...new Array(19).fill(0.05)]], 0.05],
])('the ramp of weights leaves less than a quarter of all attention beyond it: %s', (_, weights, max) => {
  expect(rangeOfWeights(matrix(weights))).toMatchObject({ min: 0, max: Math.fround(max) })
  expect(rangeOfWeights(matrix(weights)).open ?? false).toBe(weights.flat().some((weight) => weight > Math.fround(max)))
})
