import { expect, test } from 'vitest'
import { outlinesOf } from '../../../../web/src/lab/matrix/schematic.ts'
import { type Matrix, matrixOf } from '../../../../web/src/lab/model/stage.ts'

function matrix(count: number, visible?: (row: number, column: number) => boolean): Matrix {
  const hiddenBy = Uint8Array.from({ length: count * count }, (_, at) =>
    visible?.(Math.floor(at / count), at % count) ? 0 : 1,
  )
  const stage = {
    name: 'weights',
    axes: ['T', 'S'],
    shape: [count, count],
    strides: [count, 1],
    values: new Float32Array(0),
    ...(visible ? { hiddenBy } : {}),
  } as const
  return matrixOf(stage, [])
}

/** The area of a polygon: Gauss's formula. */
function area(outline: ReturnType<typeof outlinesOf>[number]): number {
  const twice = outline.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = outline[(index + 1) % outline.length] as readonly [number, number]
    return sum + x * nextY - nextX * y
  }, 0)
  return Math.abs(twice) / 2
}

test('without rules all is visible', () => {
  const outlines = outlinesOf(matrix(600))
  expect(outlines).toHaveLength(1)
  expect(area(outlines[0] as never)).toBeCloseTo(1, 9)
})

test.each([
  ['causal', (row: number, column: number) => column <= row, 1, 0.5],
  ['a window', (row: number, column: number) => column <= row && row - column < 150, 1, 0.21875],
  ['a window with sinks', (r: number, c: number) => c <= r && (r - c < 150 || c < 8), 2, 0.2284],
  ['four documents', (r: number, c: number) => Math.floor(r / 150) === Math.floor(c / 150), 4, 0.25],
] as const)('%s: as much is outlined as is visible', (_, visible, least, share) => {
  const outlines = outlinesOf(matrix(600, visible))
  expect(outlines.length).toBeGreaterThanOrEqual(least)
  const total = outlines.reduce((sum, outline) => sum + area(outline), 0)
  // A band is a 128th of the height.
  expect(Math.abs(total - share), `${total} of ${share}`).toBeLessThan(0.01)
})

test('where nothing is visible nothing is outlined', () => {
  expect(outlinesOf(matrix(600, () => false))).toEqual([])
})
