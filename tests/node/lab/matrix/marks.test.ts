import { expect, test } from 'vitest'
import { firstRule, marksOf, rulesOf } from '../../../../web/src/lab/matrix/marks.ts'
import { matrixOf, type Stage } from '../../../../web/src/lab/model/stage.ts'

test('bits name rules, the lowest first', () => {
  expect([1, 2, 3, 0b1100, 1 << 15].map(firstRule)).toEqual([0, 1, 0, 2, 15])
  expect(rulesOf(0b101, ['a', 'b', 'c'])).toEqual(['a', 'c'])
  expect(rulesOf(0, ['a'])).toEqual([])
})

test('what occurs is found; what a rule hides is not looked at', () => {
  const stage: Stage = {
    name: 'masked',
    axes: ['T', 'S'],
    shape: [2, 3],
    strides: [3, 1],
    values: Float32Array.of(1, Number.NEGATIVE_INFINITY, Number.NaN, 2, 3, Number.NaN),
    hiddenBy: Uint16Array.of(0, 0, 0b110, 0, 1 << 9, 0),
  }
  expect(marksOf([matrixOf(stage, [])])).toEqual({ rules: [1, 9], notANumber: true, infinite: true })
  expect(marksOf([matrixOf({ ...stage, values: new Float32Array(6), hiddenBy: new Uint8Array(6) }, [])])).toEqual({
    rules: [],
    notANumber: false,
    infinite: false,
  })
})
