// A matrix on a canvas that is drawn again only when it would look different. A change
// of one setting leaves most stages as they are, and a canvas that was touched costs
// the browser a copy, even if every pixel is the same.

import { isGivenUp, type Matrix } from '../model/stage.ts'
import { draw } from './draw.ts'
import { type Fit, mostCells } from './fit.ts'
import { paletteOf } from './palette.ts'
import { type Range, scaleOf } from './range.ts'
import type { Theme } from './surroundings.ts'

/** What a picture is made of. */
interface Subject {
  readonly matrix: Matrix
  readonly range: Range
  readonly fit: Fit
  readonly theme: Theme
  readonly ratio: number
}

export class Picture {
  #canvas: HTMLCanvasElement | undefined
  #subject: Subject | undefined
  #waiting: ReturnType<typeof setTimeout> | undefined

  /** Calls `redraw` at once, or for a large matrix in a task of its own: there may be many on a page. */
  schedule({ rows, columns }: Matrix, redraw: () => void): void {
    this.cancel()
    if (Math.max(rows, columns) <= mostCells) redraw()
    else this.#waiting = setTimeout(redraw)
  }

  /** Forgets a drawing that has not begun. */
  cancel(): void {
    if (this.#waiting !== undefined) clearTimeout(this.#waiting)
    this.#waiting = undefined
  }

  draw(canvas: HTMLCanvasElement, subject: Subject): void {
    const before = canvas === this.#canvas ? this.#subject : undefined
    this.#canvas = canvas
    this.#subject = subject
    if (before && looksTheSame(before, subject)) return
    const { matrix, range, fit, theme, ratio } = subject
    draw(canvas, { matrix, fit, scale: scaleOf(range, paletteOf(theme.dark)), theme, ratio })
  }
}

function looksTheSame(a: Subject, b: Subject): boolean {
  const frame = ({ range, fit, ratio }: Subject) => JSON.stringify([range.min, range.max, fit, ratio])
  return !isGivenUp(a.matrix.stage) && a.theme === b.theme && frame(a) === frame(b) && sameCells(a.matrix, b.matrix)
}

/** Whether two matrices hold the same numbers, NaN like NaN, hidden by the same rules. */
export function sameCells(a: Matrix, b: Matrix): boolean {
  if (a.rows !== b.rows || a.columns !== b.columns) return false
  const sameMemory = a.stage === b.stage && a.offset === b.offset
  if (sameMemory && a.rowStride === b.rowStride && a.columnStride === b.columnStride) return true
  for (let row = 0; row < a.rows; ++row) {
    let i = a.offset + row * a.rowStride
    let j = b.offset + row * b.rowStride
    for (let column = 0; column < a.columns; ++column, i += a.columnStride, j += b.columnStride) {
      if (!Object.is(a.stage.values[i], b.stage.values[j])) return false
      if ((a.stage.hiddenBy?.[i] ?? 0) !== (b.stage.hiddenBy?.[j] ?? 0)) return false
    }
  }
  return true
}
