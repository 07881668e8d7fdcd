import { expect, test } from 'vitest'
import { place } from '../../../../web/src/lab/matrix/lens.ts'

const view = { width: 1000, height: 800 }
const lens = { width: 300, height: 180 }
const at = (left: number, top: number, width = 4, height = 4) => ({ left, top, width, height })
const all = at(0, 0, 1000, 800)

test('the lens stands right of its cell, else left of it, else under it or over it', () => {
  expect(place(at(100, 400), lens, view, all)).toEqual({ left: 128, top: 312 })
  expect(place(at(900, 400), lens, view, all)).toEqual({ left: 576, top: 312 })
  const narrow = { width: 360, height: 800 }
  expect(place(at(180, 400), lens, narrow, at(0, 0, 360, 800))).toEqual({ left: 32, top: 428 })
  expect(place(at(180, 700), lens, narrow, at(0, 0, 360, 800))).toEqual({ left: 32, top: 496 })
})

test('it leaves the whole picture free where the window has the room, and the cell in any case', () => {
  expect(place(at(300, 400), lens, view, all, at(200, 100, 400, 400))).toEqual({ left: 624, top: 312 })
  expect(place(at(500, 300), lens, view, all, at(200, 100, 700, 400))).toEqual({ left: 352, top: 524 })
  const large = at(100, 50, 700, 700)
  expect(place(at(300, 400), lens, view, all, large)).toEqual(place(at(300, 400), lens, view, all))
})

test('it does not stand beside what is around the picture, where the card may be, if it can do so', () => {
  const around = at(100, 0, 400, 800)
  expect(place(at(300, 400), lens, view, around)).toEqual({ left: 152, top: 428 })
  expect(place(at(450, 400), lens, view, around)).toEqual({ left: 126, top: 312 })
  expect(place(at(490, 400), lens, view, at(300, 0, 200, 800))).toEqual({ left: 300, top: 428 })
})

test('it covers nothing that is lit where the window has another place', () => {
  const place4 = (cell: ReturnType<typeof at>, lit: ReturnType<typeof at>[], around = all) =>
    place(cell, lens, view, around, cell, lit)
  // The row in the factor on the left: under it, not over it.
  expect(place4(at(900, 400), [at(500, 400, 300, 4)])).toEqual({ left: 696, top: 428 })
  // The column in the factor above: right of it, as without.
  expect(place4(at(100, 400), [at(100, 50, 4, 200)])).toEqual({ left: 128, top: 312 })
  // A column under the cell, and nothing but the column's own side left: over it.
  expect(place4(at(490, 400), [at(300, 440, 200, 4)], at(300, 0, 200, 800))).toEqual({ left: 300, top: 196 })
  // No place but over what is lit: where it would stand without.
  expect(place4(at(900, 400), [all])).toEqual(place(at(900, 400), lens, view, all))
})
