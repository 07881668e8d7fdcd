// A stroke over the cells of a matrix, which hides or shows them all as its first cell
// was visible or not.

import type { At } from './table.ts'

export class Stroke {
  readonly hide: boolean
  #last: At

  constructor(hide: boolean, first: At) {
    this.hide = hide
    this.#last = first
  }

  /** Every cell from where the stroke was to this one, however fast the pointer moved. */
  to(at: At): At[] {
    const from = this.#last
    this.#last = at
    const count = Math.max(Math.abs(at.row - from.row), Math.abs(at.column - from.column))
    return Array.from({ length: count }, (_, index) => {
      const share = (index + 1) / count
      return {
        row: Math.round(from.row + (at.row - from.row) * share),
        column: Math.round(from.column + (at.column - from.column) * share),
      }
    })
  }
}
