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

interface Spot {
  readonly left: number
  readonly top: number
}

const overlap = (a: Box, b: Box) =>
  a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height

/** The places beside a picture that have room in the window, the best first; `over` it comes last, room or not. */
function spotsBeside(picture: Box, cell: Box, { width, height }: Size, view: Size, around: Box): Spot[] {
  const within = (value: number, size: number, room: number) => Math.max(edge, Math.min(value, room - size - edge))
  const fits = (value: number, size: number, room: number) => value >= edge && value + size <= room - edge
  const [right, left] = [picture.left + picture.width + gap, picture.left - gap - width]
  const [under, over] = [picture.top + picture.height + gap, picture.top - gap - height]
  const middle = { left: cell.left + (cell.width - width) / 2, top: cell.top + (cell.height - height) / 2 }
  const most = Math.max(around.left + around.width - width, around.left)
  const across = within(Math.max(around.left, Math.min(middle.left, most)), width, view.width)
  const down = within(middle.top, height, view.height)
  const beside = [right, left].filter((left) => fits(left, width, view.width)).map((left) => ({ left, top: down }))
  const apart = [under, over].filter((top) => fits(top, height, view.height)).map((top) => ({ left: across, top }))
  // Where what is around ends the cell's card may stand.
  const inside = beside.filter(({ left }) => left >= around.left && left + width <= around.left + around.width)
  return [...inside, ...apart, ...beside, { left: across, top: within(over, height, view.height) }]
}

/**
 * Where the lens stands in the window: beside the cell, right of it if there is room;
 * else under it or over it. Never over the cell itself, while the window has the room,
 * nor over `picture`, if that is given, nor over what is `lit`; and if it can be not
 * beside `around`, where the cell's card may stand.
 */
export function place(
  cell: Box,
  lens: Size,
  view: Size,
  around: Box,
  picture: Box = cell,
  lit: readonly Box[] = [],
): Spot {
  let last: Spot | undefined
  // It stands beside the first of these and covers none: less and less, until there is a place.
  for (const kept of [[picture, ...lit], [picture], [cell, ...lit], [cell]]) {
    const spots = spotsBeside(kept[0] as Box, cell, lens, view, around)
    const free = spots.find((spot) => !kept.some((box) => overlap({ ...spot, ...lens }, box)))
    if (free) return free
    last = spots.at(-1)
  }
  return last as Spot
}

/** What is lit in the matrices of the same part of the widget, and of the part that this is in. */
export function litAround(matrix: Element): DOMRect[] {
  const part = matrix.getRootNode() as ShadowRoot
  const trees = [part, part.host.getRootNode() as ParentNode]
  return trees
    .flatMap((tree) => [...tree.querySelectorAll('attention-matrix')])
    .flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll('.lit') ?? [])])
    .map((lit) => lit.getBoundingClientRect())
}
