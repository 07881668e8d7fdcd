// The lens: the neighbourhood of a cell, large enough for its digits. It is another,
// smaller matrix of the same stage, and so drawn by the same code.

import { html } from 'lit'
import type { Matrix } from '../model/stage.ts'
import type { LabelKind } from '../words.ts'
import type { Range } from './range.ts'
import type { At } from './table.ts'

interface Lens {
  readonly matrix: Matrix
  /** The cell in its middle, as far as the matrix's edges let it be. */
  readonly at: At
  readonly rowLabels: readonly string[]
  readonly columnLabels: readonly string[]
  readonly rowKind: LabelKind
  readonly columnKind: LabelKind
  readonly range: Range
  /** While one paints it is smaller: one looks at the whole then. */
  readonly painting: boolean
}

/** A magnified cell's side, and the room for the labels beside it, in CSS pixels. */
const cell = 40
const labels = 84

/** The first of `count` indices around `at`, within `length`. */
const first = (at: number, count: number, length: number) => Math.max(0, Math.min(at - (count >> 1), length - count))

/** The rows and columns of a matrix from a cell on; the same memory. */
export function part(matrix: Matrix, from: At, rows: number, columns: number): Matrix {
  const { offset, rowStride, columnStride } = matrix
  return { ...matrix, rows, columns, offset: offset + from.row * rowStride + from.column * columnStride }
}

/** Stands in the top layer, where nothing cuts it off; whoever renders it opens and places it. */
export function lensOf({ matrix, at, rowLabels, columnLabels, rowKind, columnKind, range, painting }: Lens) {
  const narrow = painting || innerWidth < 480
  const columns = Math.min(narrow ? 5 : 7, matrix.columns)
  const rows = Math.min(narrow ? 3 : 5, matrix.rows)
  const from = { row: first(at.row, rows, matrix.rows), column: first(at.column, columns, matrix.columns) }
  return html`
    <div class="magnified" popover="manual" aria-hidden="true">
      <attention-matrix
        picture
        .matrix=${part(matrix, from, rows, columns)}
        .range=${range}
        .room=${columns * cell + labels}
        .tallest=${rows * cell + labels}
        .rowLabels=${rowLabels.slice(from.row, from.row + rows)}
        .columnLabels=${columnLabels.slice(from.column, from.column + columns)}
        .rowKind=${rowKind}
        .columnKind=${columnKind}
        .marked=${{ row: at.row - from.row, column: at.column - from.column }}
      ></attention-matrix>
    </div>
  `
}

export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Between the lens and what it must not cover, so that a finger doesn't cover it. */
const gap = 24
const edge = 4

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * Where the lens stands in the window: beside the cell, right of it if there is room;
 * else under it or over it. Never over the cell itself, while the window has the room,
 * nor over `picture`, if that is given; and if it can be not beside `around`, where the
 * cell's card may stand.
 */
export function place(
  cell: Box,
  lens: Size,
  view: Size,
  around: Box,
  picture: Box = cell,
): { left: number; top: number } {
  const { width, height } = lens
  const within = (value: number, size: number, room: number) => Math.max(edge, Math.min(value, room - size - edge))
  const fits = (value: number, size: number, room: number) => value >= edge && value + size <= room - edge
  const [right, left] = [picture.left + picture.width + gap, picture.left - gap - width]
  const [under, over] = [picture.top + picture.height + gap, picture.top - gap - height]
  const middle = cell.left + cell.width / 2 - width / 2
  const beside = [right, left].filter((value) => fits(value, width, view.width))
  const apart = [under, over].find((value) => fits(value, height, view.height))
  const inside = beside.find((value) => value >= around.left && value + width <= around.left + around.width)
  const chosen = inside ?? (apart === undefined ? beside[0] : undefined)
  if (chosen !== undefined) {
    return { left: chosen, top: within(cell.top + cell.height / 2 - height / 2, height, view.height) }
  }
  if (apart === undefined && picture !== cell) return place(cell, lens, view, around)
  const most = Math.max(around.left + around.width - width, around.left)
  return {
    left: within(Math.max(around.left, Math.min(middle, most)), width, view.width),
    top: within(apart ?? over, height, view.height),
  }
}
