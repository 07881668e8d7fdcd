import { expect, test } from 'vitest'
import { roomsBelow, roomsOf } from '../../../web/src/lab/stage-rooms.ts'

const size = (rows: number, columns: number) => ({ rows, columns, labels: 64 })
const cellOf = ({ width, tall }: { width: number; tall: number | undefined }, columns: number) => ({
  cell: (width - 64) / columns,
  tall,
})

test('six tokens stand as on paper, rows beside rows and columns above columns', () => {
  const mixed = roomsOf(size(6, 3), size(6, 6), size(6, 3), false, 660)
  expect(mixed.paper).toBe(true)
  expect(mixed.left?.tall).toBe(mixed.result.tall)
  expect(mixed.above?.width).toBe(mixed.result.width)
  expect(roomsOf(size(6, 6), size(6, 6), undefined, true, 660).paper).toBe(true)
})

test('on paper the labels have what there is for them, so that all cells are as large', () => {
  for (const [left, result] of [
    [size(6, 3), size(6, 6)],
    [size(6, 6), size(6, 6)],
  ] as const) {
    const rooms = roomsOf(result, { ...left, labels: 84 }, undefined, false, 660)
    const cell = (room: typeof rooms.result | undefined, columns: number) =>
      ((room?.width ?? 0) - (room?.labels ?? Number.NaN)) / columns
    expect(Math.abs(cell(rooms.left, left.columns) - cell(rooms.result, result.columns))).toBeLessThan(0.5)
  }
})

test('the matrix has the room for its digits first, and its factors what is left', () => {
  for (const tokens of [8, 10, 13, 16]) {
    for (const width of [660, 910]) {
      for (const [result, left, above] of [
        [size(tokens, tokens), size(tokens, tokens), undefined],
        [size(tokens, tokens), size(tokens, 3), size(3, tokens)],
        [size(tokens, 3), size(tokens, tokens), size(tokens, 3)],
      ] as const) {
        const rooms = roomsOf(result, left, above, false, width)
        const where = `${tokens} tokens, ${result.columns} columns in ${width}`
        expect(cellOf(rooms.result, result.columns).cell, where).toBeGreaterThanOrEqual(32)
        for (const room of [rooms.result, rooms.left, rooms.above])
          expect(room?.width ?? 0, where).toBeLessThanOrEqual(width)
        // Cells of the factors are told apart.
        expect(((rooms.left?.width ?? 0) - 64) / left.columns, where).toBeGreaterThanOrEqual(10)
      }
    }
  }
})

test('without room for digits either way, as on paper', () => {
  expect(roomsOf(size(64, 64), size(64, 64), undefined, true, 660).paper).toBe(true)
})

test('where values would share a pixel, the matrix comes first', () => {
  const [result, left] = [size(512, 512), size(512, 512)]
  for (const width of [600, 660, 720]) {
    const rooms = roomsOf(result, left, undefined, true, width)
    expect(rooms.paper).toBe(false)
    expect(cellOf(rooms.result, 512).cell).toBeGreaterThanOrEqual(1)
    expect(rooms.left?.width).toBeLessThanOrEqual(width)
  }
  expect(roomsOf(result, left, undefined, true, 1300).paper).toBe(true)
})

test('sums have their room only where it is not the digits’', () => {
  const width = (sums: boolean) => roomsOf(size(18, 18), size(18, 18), undefined, sums, 660).result.width
  expect(width(true)).toBe(width(false))
})

test('below all heads, what one of them is made of stands only where all is seen at once', () => {
  const masked = size(6, 6)
  const desk = { width: 655, tall: 900 }
  expect(roomsBelow(300, masked, undefined, desk)?.left).toEqual({ width: 36 * 6 + 64, tall: 36 * 6 + 80, labels: 64 })
  expect(roomsBelow(664, masked, undefined, desk)).toBeUndefined()
  const two = roomsBelow(400, size(16, 4), size(4, 16), desk)
  expect((two?.left?.width ?? 0) + (two?.above?.width ?? 0) + 18).toBeLessThanOrEqual(655)
  expect(roomsBelow(332, size(64, 64), undefined, desk)).toBeUndefined()
  // In a low window, or where their titles would stand below each other.
  expect(roomsBelow(332, masked, undefined, { width: 655, tall: 600 })).toBeUndefined()
  expect(roomsBelow(332, size(6, 1), size(6, 1), { width: 370, tall: 900 })).toBeUndefined()
})
