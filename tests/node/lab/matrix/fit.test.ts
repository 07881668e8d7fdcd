import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fit, mostCells, mostOverview } from '../../../../web/src/lab/matrix/fit.ts'

const labels = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`)
const square = (count: number, width: number, ratio = 1) => fit(labels(count), labels(count), { width, ratio })

test('six tokens have digits, on a phone too', () => {
  expect(square(6, 600)).toMatchObject({ kind: 'cells', side: 64, text: 12, lens: false, every: 1 })
  expect(square(6, 320).text).toBeGreaterThan(0)
})

test('every cell up to 64, an overview up to 512, then the shape', () => {
  expect([mostCells, mostCells + 1, mostOverview, mostOverview + 1].map((count) => square(count, 700).kind)).toEqual([
    'cells',
    'overview',
    'overview',
    'schematic',
  ])
})

test('an overview has whole pixels for its cells, or says that it has means', () => {
  expect(square(512, 800)).toMatchObject({ side: 1, block: 1, width: 512 })
  expect(square(512, 800, 2)).toMatchObject({ side: 2, block: 1, width: 1024 })
  expect(square(512, 360, 3)).toMatchObject({ side: 1, block: 1, width: 512 })
  expect(square(512, 360, 1)).toMatchObject({ side: 1, block: 2, width: 256, cell: 0.5 })
})

test('whatever the room: sides are whole device pixels, labels have room, and nothing is wider unless it scrolls', () => {
  const count = fc.integer({ min: 0, max: mostOverview })
  fc.assert(
    fc.property(
      count,
      count,
      fc.integer({ min: 200, max: 2000 }),
      fc.constantFrom(1, 1.25, 1.5, 2, 3),
      (rows, columns, width, ratio) => {
        const size = fit(labels(rows), labels(columns), { width, ratio })
        expect(Number.isInteger(size.side) && size.side >= 1).toBe(true)
        expect(size.width).toBe(Math.ceil(columns / size.block) * size.side)
        expect(size.height).toBe(Math.ceil(rows / size.block) * size.side)
        expect(size.cell).toBeCloseTo(size.side / ratio / size.block, 9)
        expect(size.every * size.cell).toBeGreaterThanOrEqual(11)
        if (size.text > 0) expect(size.cell).toBeGreaterThanOrEqual(32)
        // Cells of 2 CSS pixels, rounded up to device pixels, may need more than there is.
        const least = Math.ceil(2 * ratio) / ratio
        if (size.cell > least) expect(size.width / ratio + size.rowLabel).toBeLessThanOrEqual(width + 1e-6)
      },
    ),
  )
})

test('sums have room where digits keep theirs, and only there', () => {
  const withSums = (width: number) => fit(labels(6), labels(6), { width, sums: true, ratio: 1 })
  expect(withSums(600)).toMatchObject({ sums: 44, side: 64 })
  expect(withSums(320)).toMatchObject({ sums: 44, side: 36 })
  // Without sums there are digits here.
  expect(withSums(260)).toEqual(square(6, 260))
  expect(withSums(260)).toMatchObject({ sums: 0, text: 10 })
})

test('a height limits, too', () => {
  const size = fit(labels(40), labels(3), { width: 1000, height: 500, ratio: 1 })
  expect(size.height + size.columnLabel).toBeLessThanOrEqual(500)
})
