// What a mouse, a pen or a finger does on the cells of a matrix: it points, picks, paints
// in strokes and opens the editor.

import type { Matrix } from '../model/stage.ts'
import type { MatrixCell, PaintDetail } from './attention-matrix.ts'
import { Stroke } from './stroke.ts'
import { type At, isHidden, same, within } from './table.ts'

/** How long a pointer must rest before its cell is asked for, where asking takes its time. */
const restMs = 120

/** How the cells are drawn now. */
interface Cells {
  /** The width and height of a cell in CSS pixels. */
  readonly x: number
  readonly y: number
  readonly isSchematic: boolean
  readonly lens: boolean
}

interface Host {
  readonly matrix: Matrix | undefined
  readonly painting: boolean
  readonly editable: boolean
  readonly picture: boolean
  readonly focused: At
  pointed: At | undefined
  edited: At | undefined
  ringed: boolean
}

/** What the host does for its pointer. */
interface Acts {
  readonly cells: (matrix: Matrix) => Cells
  readonly isInside: () => boolean
  readonly focusOn: (at: At) => void
  readonly fire: (type: string, detail?: MatrixCell | PaintDetail) => void
}

export class Pointing {
  readonly #host: Host
  readonly #acts: Acts
  #stroke: Stroke | undefined
  #resting: ReturnType<typeof setTimeout> | undefined

  constructor(host: Host, acts: Acts) {
    this.#host = host
    this.#acts = acts
  }

  /** Forgets the cell that has not been asked for yet. */
  cancel() {
    clearTimeout(this.#resting)
  }

  /** Points at a cell, or at none. */
  point(at: At | undefined) {
    const host = this.#host
    if (at && same(at, host.pointed)) return
    this.cancel()
    if (at === host.pointed) return
    host.pointed = at
    // What is behind a cell of so many takes its time: it is asked for where the pointer rests.
    if (at && this.#cells()?.isSchematic) {
      this.#resting = setTimeout(() => this.#acts.fire('point', at), restMs)
    } else this.#acts.fire('point', at)
  }

  readonly move = (event: PointerEvent) => {
    if (this.#host.picture) return
    const at = this.#at(event)
    const { hide } = this.#stroke ?? {}
    if (at && hide !== undefined) {
      for (const cell of this.#stroke?.to(at) ?? []) this.#acts.fire('paint', { ...cell, hide, begins: false })
    }
    // A finger that scrolls must not change what is shown; one that moves the lens does.
    if (event.pointerType === 'touch' && !this.#stroke && !this.#cells()?.lens) return
    this.point(at)
  }

  readonly leave = () => {
    if (!this.#host.picture) this.point(undefined)
  }

  readonly down = (event: PointerEvent) => {
    const host = this.#host
    const at = this.#at(event)
    if (host.picture || !host.matrix || !at || event.button !== 0) return
    host.ringed = false
    if (event.pointerType === 'touch' && this.#cells()?.lens) this.point(at)
    // A pointer is wider than the cells of a schematic: it paints none of them.
    if (!host.painting || this.#cells()?.isSchematic) return
    const element = event.currentTarget as HTMLElement
    element.setPointerCapture(event.pointerId)
    const hide = !isHidden(host.matrix, at)
    this.#stroke = new Stroke(hide, at)
    this.#acts.fire('paint', { ...at, hide, begins: true })
  }

  readonly up = () => {
    this.#stroke = undefined
  }

  readonly click = (event: MouseEvent) => {
    const host = this.#host
    const at = this.#at(event)
    if (host.picture || !at || (event.target as Element).closest('.editor')) return
    // A finger has no double click: the second tap on a cell edits it.
    const again = host.editable && same(at, host.focused) && (event as PointerEvent).pointerType === 'touch'
    const wasInside = this.#acts.isInside()
    this.#acts.focusOn(at)
    if (host.painting && !this.#cells()?.isSchematic) return
    this.#acts.fire('pick', at)
    if (again && wasInside) host.edited = at
  }

  readonly doubleClick = (event: MouseEvent) => {
    const host = this.#host
    const at = this.#at(event)
    if (at && host.editable && !host.painting && !host.picture) host.edited = at
  }

  #cells = () => this.#host.matrix && this.#acts.cells(this.#host.matrix)

  #at(event: MouseEvent): At | undefined {
    const { matrix } = this.#host
    if (!matrix) return undefined
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect()
    const { x, y } = this.#acts.cells(matrix)
    const at = { row: Math.floor((event.clientY - top) / y), column: Math.floor((event.clientX - left) / x) }
    return same(within(at, matrix.rows, matrix.columns), at) ? at : undefined
  }
}
