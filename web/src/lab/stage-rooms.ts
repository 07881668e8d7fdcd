// How the matrix of a stage and those that it is made of share the room that there is: a
// pure function of their sizes.

import { mostCells, smallestWithDigits, sumsWidth } from './matrix/fit.ts'

/** The size of a matrix in cells, and the width of its row labels in CSS pixels. */
export interface Size {
  readonly rows: number
  readonly columns: number
  readonly labels: number
}

/** In CSS pixels; the width and the height include the labels. */
export interface Room {
  readonly width: number
  readonly tall: number | undefined
  /** The width of the row labels; as they need where nothing is to stand at one height or width with it. */
  readonly labels: number | undefined
}

export interface FactorRooms {
  readonly left?: Room | undefined
  readonly above?: Room | undefined
}

export interface Rooms extends FactorRooms {
  /** Whether the factors stand as on paper, rows beside rows and columns above columns; else they follow the matrix. */
  readonly paper: boolean
  readonly result: Room
}

/** Between the matrices, with what rounding up may add to them. */
const gap = 18
/** What column labels and a title take above the cells. */
const aboveCells = 80
const title = 30
/** About the width of a title, or of a line of it. */
export const titled = 180
/** The height of the cells, if it is not for their digits' sake. */
const high = 520
const highWithDigits = 680
/** The height of a stage that is seen as a whole in the window of a small desk. */
const window = 800
/** The sides of a factor's cells, where there is little room for it; smaller ones would not be told apart. */
const smallest = 10
const sizes = Array.from({ length: 44 - smallest + 1 }, (_, index) => 44 - index)

/** The side below which cells are not drawn for their height's sake: of an overview a pixel. */
const leastOf = (rows: number) => (rows > mostCells ? 1 : 5)

/** The side of cells that fit in a width, and in the height that cells should have. */
const cellIn = (width: number, columns: number, rows: number, most: number) =>
  Math.min(
    width / Math.max(columns, 1),
    Math.max(
      high / Math.max(rows, 1),
      rows * smallestWithDigits <= highWithDigits ? smallestWithDigits : leastOf(rows),
    ),
    most,
  )

/**
 * As on paper, with one size for all cells, if that leaves room for digits in them; else
 * the matrix has the room for its digits first, and its factors what is left; if there
 * are no digits either way, as on paper, unless values would have to share a pixel there.
 * `sums` says whether sums of rows are wanted.
 */
export function roomsOf(result: Size, left: Size | undefined, above: Size | undefined, sums: boolean, width: number) {
  const labels = Math.max(result.labels, above?.labels ?? 0)
  const onPaper = (sums: number) => ({
    sums,
    paper: true,
    cell: cellIn(
      width - labels - (left ? left.labels + gap : 0) - sums,
      result.columns + (left?.columns ?? 0),
      result.rows + (above?.rows ?? 0),
      left ? 44 : 56,
    ),
  })
  const first = (sums: number) => ({
    sums,
    paper: false,
    cell: cellIn(width - result.labels - sums, result.columns, result.rows, 36),
  })
  const ways = [sums ? sumsWidth : 0, 0].flatMap((sums) => (left ? [onPaper(sums), first(sums)] : [onPaper(sums)]))
  const overview = onPaper(0).cell >= 1 || !left ? onPaper(0) : first(0)
  const way = ways.find(({ cell }) => cell >= smallestWithDigits) ?? overview
  const { paper, cell } = way
  const room = ({ rows, columns }: Size, cell: number, labels: number, sums = 0): Room => ({
    width: Math.min(Math.ceil(cell * columns + labels + sums), width),
    tall: Math.ceil(cell * rows + aboveCells),
    // With less for its labels a matrix would have larger cells than the others.
    labels: paper ? labels : undefined,
  })
  const own = room(result, cell, paper ? labels : result.labels, way.sums)
  const factors = [left, above].filter((size) => size !== undefined)
  /** Whether the factors have room at the side of the matrix. */
  const fits = (cell: number) =>
    factors.reduce((total, { columns, labels }) => total + gap + Math.max(cell * columns + labels, titled), 0) +
      Math.max(own.width, titled) <=
    width
  const side = sizes.find(fits) ?? 0
  const factor = (size: Size | undefined, labels: number) => {
    if (!size) return undefined
    if (paper) return room(size, cell, labels)
    const below = (window - cell * result.rows - 2 * (aboveCells + title)) / size.rows
    const free = (width - size.labels) / size.columns
    return room(size, Math.min(Math.max(side, below, smallest), free, 44), size.labels)
  }
  const rooms: Rooms = {
    paper,
    result: left ? own : { ...own, tall: undefined },
    left: factor(left, left?.labels ?? 0),
    above: factor(above, labels),
  }
  return rooms
}

/** What stands about all heads and about what one is made of: titles of up to three lines, the legend and gaps. */
const aroundBelow = 6 * title

/**
 * What one of several heads' matrices is made of, side by side below all of them, which are
 * `height` high; undefined where together they would be no more seen at once in a window
 * that is `tall` high.
 */
export function roomsBelow(
  height: number,
  left: Size,
  above: Size | undefined,
  { width, tall }: { width: number; tall: number },
): FactorRooms | undefined {
  const factors = [left, above].filter((size) => size !== undefined)
  const total = (of: (size: Size) => number) => factors.reduce((sum, size) => sum + of(size), 0)
  const cell = Math.min(
    (Math.min(window, tall) - height - aboveCells - aroundBelow) / Math.max(...factors.map(({ rows }) => rows), 1),
    (width - gap - total(({ labels }) => labels)) /
      Math.max(
        total(({ columns }) => columns),
        1,
      ),
    36,
  )
  const widthOf = ({ columns, labels }: Size) => Math.ceil(cell * columns + labels)
  if (cell < smallest || total((size) => Math.max(widthOf(size), titled)) + gap > width) return undefined
  const room = (size: Size): Room => ({
    width: widthOf(size),
    tall: Math.ceil(cell * size.rows + aboveCells),
    labels: size.labels,
  })
  return { left: room(left), above: above && room(above) }
}
