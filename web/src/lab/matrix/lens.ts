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
export function lensOf({ matrix, at, rowLabels, columnLabels, rowKind, columnKind, range }: Lens) {
  const narrow = innerWidth < 480
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

/** Between the lens and the cell that it shows, so that a finger doesn't cover it. */
const gap = 28
const edge = 4

/**
 * Where the lens stands in the window: beside the cell, right of it if there is room;
 * else under it or over it. Never over the cell itself, while the window has the room.
 */
export function place(target: Box, lens: { width: number; height: number }, view: { width: number; height: number }) {
  const { width, height } = lens
  const x = target.left + target.width / 2
  const y = target.top + target.height / 2
  const within = (value: number, size: number, room: number) => Math.max(edge, Math.min(value, room - size - edge))
  const right = x + gap
  const left = x - gap - width
  const fits = (value: number) => value >= edge && value + width <= view.width - edge
  if (fits(right) || fits(left)) {
    return { left: fits(right) ? right : left, top: within(y - height / 2, height, view.height) }
  }
  const under = y + gap
  const top = under + height <= view.height - edge ? under : y - gap - height
  return { left: within(x - width / 2, width, view.width), top: within(top, height, view.height) }
}
