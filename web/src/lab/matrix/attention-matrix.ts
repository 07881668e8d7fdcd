// <attention-matrix>: one matrix of a stage, drawn on a canvas, with a table behind
// it for screen readers and the keyboard. It shows what it is given and tells what a
// person does; what follows from that is its parent's business.

import { html, LitElement, nothing, type PropertyValues } from 'lit'
import { guard } from 'lit/directives/guard.js'
import { isHeld, type Matrix } from '../model/stage.ts'
import { paint } from '../paint.ts'
import { Resting } from '../resting.ts'
import { visible } from '../tokens.ts'
import { type LabelKind, matrixWords as words } from '../words.ts'
import type { DoneDetail } from './attention-cell-editor.ts'
import { type Fit, fit } from './fit.ts'
import { cornerOf, labelStrip, sumStrip } from './labels.ts'
import { lensOf, litAround, place } from './lens.ts'
import { matrixStyle } from './matrix-style.ts'
import { Picture } from './picture.ts'
import { Pointing } from './pointing.ts'
import type { Range } from './range.ts'
import { schematicOf, sizeOf } from './schematic.ts'
import { Surroundings } from './surroundings.ts'
import { type At, isHidden, same, step, tableOf, valueAt, within } from './table.ts'

/** A cell of the matrix. */
export type MatrixCell = At

/** A cell that a person paints over. A stroke hides or shows as its first cell was visible or not. */
export interface PaintDetail extends At {
  readonly hide: boolean
  /** Whether it is the first cell of its stroke. */
  readonly begins: boolean
}

/** The number that a person has given a cell. */
export interface EditDetail extends At {
  readonly value: number
}

/** Cells that are lit as the sources of another: rows and columns from the first up to, not including, the second. */
export interface Region {
  readonly rows: readonly [number, number]
  readonly columns: readonly [number, number]
  readonly kind?: LabelKind | undefined
}

/** How long the numbers must rest before the table behind the picture tells them. */
const restMs = 120

/**
 * Draws every cell up to 64 rows or columns, an overview with a lens up to 512, and
 * only the shape of what is larger, in which cells can be pointed at all the same.
 *
 * @fires {CustomEvent<MatrixCell | undefined>} point - The cell under the mouse, or that the keyboard
 *   has come to; undefined when there is none any more.
 * @fires {CustomEvent<MatrixCell>} pick - A cell that was clicked, tapped or entered.
 * @fires {CustomEvent<undefined>} free - Escape.
 * @fires {CustomEvent<PaintDetail>} paint - While `painting`: a cell that the stroke has come to.
 * @fires {CustomEvent<EditDetail>} edit - While `editable`: a cell's new number.
 *
 * All of them bubble and are composed. `slot="caption"` is shown above the picture.
 */
export class AttentionMatrix extends LitElement {
  static override properties = {
    matrix: { attribute: false },
    range: { attribute: false },
    rowLabels: { attribute: false },
    columnLabels: { attribute: false },
    rowKind: { attribute: false },
    columnKind: { attribute: false },
    caption: { attribute: false },
    marked: { attribute: false },
    locked: { type: Boolean, reflect: true },
    lit: { attribute: false },
    room: { attribute: false },
    tallest: { attribute: false },
    rowSums: { attribute: false },
    labelRoom: { attribute: false },
    painting: { type: Boolean, reflect: true },
    editable: { type: Boolean, reflect: true },
    picture: { type: Boolean, reflect: true },
    focused: { state: true },
    pointed: { state: true },
    edited: { state: true },
    ringed: { state: true },
    ownRoom: { state: true },
  }
  declare matrix: Matrix | undefined
  /** The legend's ends, which matrices beside each other have in common. */
  declare range: Range
  /** Tokens, or the numbers of features; text as it is. */
  declare rowLabels: readonly string[]
  declare columnLabels: readonly string[]
  /** What rows and columns stand for, which decides the colour of their labels. */
  declare rowKind: LabelKind
  declare columnKind: LabelKind
  /** What the matrix is, for those who don't see its place. */
  declare caption: string
  /** The cell that is shown elsewhere in full. */
  declare marked: At | undefined
  /** Whether `marked` stays when the mouse goes on. */
  declare locked: boolean
  declare lit: readonly Region[]
  /** The width that the matrix may take up, labels included, in CSS pixels; its own width if absent. */
  declare room: number | undefined
  /** The height that it may take up, if that is limited. */
  declare tallest: number | undefined
  /** The width of its row labels; as they need if absent. */
  declare labelRoom: number | undefined
  /** Gives the sums of the rows, to be shown beside them where there is room for digits; undefined if it has none. */
  declare rowSums: (() => ArrayLike<number> | undefined) | undefined
  declare painting: boolean
  declare editable: boolean
  /** Only a picture: no table, no events, as in the lens. */
  declare picture: boolean

  declare focused: At
  declare pointed: At | undefined
  /** The cell that is being edited. */
  declare edited: At | undefined
  /** Whether the cell in focus has a ring: it is for those who go by the keyboard. */
  declare ringed: boolean
  declare ownRoom: number

  readonly #surroundings = new Surroundings(this)
  readonly #observer = new ResizeObserver(([entry]) => {
    if (entry && this.room === undefined) this.ownRoom = Math.floor(entry.contentRect.width)
  })
  readonly #picture = new Picture()
  readonly #pointing = new Pointing(this, {
    cells: (matrix) => this.#drawnCells(matrix),
    isInside: () => this.#inside(),
    focusOn: (at) => this.#focusOn(at),
    fire: (type, detail) => this.#fire(type, detail),
  })
  #refocus = false
  /** Counts what the table has told. */
  #told = 0
  readonly #telling = new Resting(() => {
    ++this.#told
    this.requestUpdate()
  }, restMs)

  static override styles = matrixStyle

  constructor() {
    super()
    this.range = { min: 0, max: 1 }
    this.rowLabels = []
    this.columnLabels = []
    this.rowKind = 'query'
    this.columnKind = 'key'
    this.caption = ''
    this.locked = false
    this.lit = []
    this.painting = false
    this.editable = false
    this.picture = false
    this.focused = { row: 0, column: 0 }
    this.ringed = false
    this.ownRoom = 0
  }

  override connectedCallback() {
    super.connectedCallback()
    if (this.hasUpdated) this.requestUpdate()
    // Known before the first frame, so that nothing moves after it.
    if (this.room === undefined) this.ownRoom = Math.floor(this.getBoundingClientRect().width)
    this.#observer.observe(this)
  }

  override disconnectedCallback() {
    super.disconnectedCallback()
    this.#picture.cancel()
    this.#observer.disconnect()
    this.#telling.cancel()
    this.#pointing.cancel()
  }

  protected override willUpdate(changed: PropertyValues) {
    if (!this.matrix) return
    const { rows, columns } = this.matrix
    if (changed.has('matrix')) {
      this.focused = within(this.focused, rows, columns)
      if (this.pointed && !same(within(this.pointed, rows, columns), this.pointed)) {
        this.#pointing.cancel()
        this.pointed = undefined
      }
      if (this.edited && !same(within(this.edited, rows, columns), this.edited)) this.edited = undefined
      this.#tellSoon()
    }
    // Where the tab key comes in: at what is shown, unless somebody is inside already.
    if (changed.has('marked') && this.marked && !this.#inside()) this.focused = within(this.marked, rows, columns)
  }

  /** What changes while a slider moves is told when it rests; a person who is inside is told at once. */
  #tellSoon() {
    if (!this.hasUpdated || this.#inside()) ++this.#told
    else this.#telling.changed()
  }

  #inside() {
    return this.shadowRoot?.activeElement != null
  }

  #fit(): Fit {
    const { ratio } = this.#surroundings
    return fit(this.rowLabels, this.columnLabels, {
      width: this.room ?? this.ownRoom,
      height: this.tallest,
      rowLabel: this.labelRoom,
      sums: this.rowSums !== undefined,
      ratio,
    })
  }

  override render() {
    const probe = html`<i
      class="probe"
      aria-hidden="true"
      @transitionrun=${this.#surroundings.read}
      @transitionend=${this.#surroundings.read}
    ></i>`
    if (!this.matrix || (this.room ?? this.ownRoom) === 0) return probe
    const { rows, columns } = this.matrix
    return html`
      ${probe}
      <slot name="caption"></slot>
      ${
        rows === 0 || columns === 0
          ? html`<p class="soft">${words.empty(rows, columns)}</p>`
          : this.#frame(this.matrix, this.#fit())
      }
    `
  }

  #frame(matrix: Matrix, size: Fit) {
    if (isSchematic(matrix, size)) {
      return schematicOf(matrix, this.caption, this.#schematicRoom(), this.#cells(matrix, size))
    }
    const { ratio } = this.#surroundings
    const { rowKind, columnKind } = this
    const shown = this.pointed ?? this.marked
    const sums = this.#sums(size)
    return html`
      <div
        class="frame"
        ${paint('--cell', `${size.cell}px`)}
        ${paint('--row-label', `${size.rowLabel}px`)}
        ${paint('--column-label', `${size.columnLabel}px`)}
        ${paint('--sums', `${size.sums}px`)}
        ${paint('--width', `${size.width / ratio}px`)}
        ${paint('--height', `${size.height / ratio}px`)}
      >
        ${cornerOf(rowKind, columnKind)}
        ${labelStrip({ side: 'column', labels: this.columnLabels, kind: columnKind, lit: shown?.column }, size)}
        ${labelStrip({ side: 'row', labels: this.rowLabels, kind: rowKind, lit: shown?.row }, size)}
        ${this.#cells(matrix, size)}
        ${sums ? sumStrip(sums, matrix.stage.name) : nothing}
        ${size.lens && !this.picture ? this.#lens(matrix) : nothing}
      </div>
      ${size.block > 1 ? html`<p class="soft note">${words.averaged(size.block)}</p>` : nothing}
    `
  }

  #sums({ sums }: Fit) {
    return sums > 0 ? this.rowSums?.() : undefined
  }

  #schematicRoom = () => ({ width: this.room ?? this.ownRoom, height: this.tallest })

  /** What a person points at: the picture, the table behind it, and the rings over it. */
  #cells(matrix: Matrix, size: Fit) {
    return html`
      <div
        class=${`cells${size.lens ? ' lens' : ''}${this.ringed ? ' ringed' : ''}`}
        @pointermove=${this.#pointing.move}
        @pointerleave=${this.#pointing.leave}
        @pointerdown=${this.#pointing.down}
        @pointerup=${this.#pointing.up}
        @pointercancel=${this.#pointing.up}
        @mousedown=${(event: MouseEvent) => event.preventDefault()}
        @click=${this.#pointing.click}
        @dblclick=${this.#pointing.doubleClick}
        @keydown=${this.#key}
        @focusin=${this.#focusIn}
        @focusout=${this.#focusOut}
      >
        ${isSchematic(matrix, size) ? nothing : html`<canvas aria-hidden="true"></canvas>`}
        ${this.picture ? nothing : this.#table(matrix, size)}
        ${this.lit.map((region) => box(`lit ${region.kind ?? ''}`, region.rows, region.columns))}
        ${this.#ring('marked', this.marked)}
        ${this.#ring('pointed', this.pointed)}
        ${this.#ring('focus', this.picture ? undefined : this.focused)}
        ${this.edited ? this.#editor(this.edited) : nothing}
      </div>
    `
  }

  #ring(kind: string, at: At | undefined) {
    return at && box(kind, [at.row, at.row + 1], [at.column, at.column + 1])
  }

  #table(matrix: Matrix, size: Fit) {
    const { focused, marked, rowLabels, columnLabels, caption, editable, painting } = this
    const told = [this.#told, focused.row, focused.column, marked?.row, marked?.column]
    const help = painting ? words.keysPainting : editable ? words.keysEditing : words.keys
    return html`
      <div class="table" ${paint('--row', String(focused.row))} ${paint('--column', String(focused.column))}>
        ${guard([...told, size.sums, rowLabels, columnLabels, caption, help], () =>
          tableOf({
            matrix,
            rowLabels,
            columnLabels,
            sums: this.#sums(size),
            name: caption,
            help,
            focus: focused,
            marked,
          }),
        )}
      </div>
    `
  }

  #lens(matrix: Matrix) {
    const at = this.pointed ?? (this.#inside() ? this.focused : undefined)
    if (!at) return nothing
    const { rowLabels, columnLabels, rowKind, columnKind, range, painting } = this
    return lensOf({ matrix, at, rowLabels, columnLabels, rowKind, columnKind, range, painting })
  }

  #editor(at: At) {
    const where = words.at(visible(this.rowLabels[at.row] ?? ''), visible(this.columnLabels[at.column] ?? ''))
    return html`
      <attention-cell-editor
        class="editor"
        ${paint('--row', String(at.row))}
        ${paint('--column', String(at.column))}
        .label=${where}
        .value=${valueAt(this.matrix as Matrix, at)}
        ?late=${at.column >= this.columnLabels.length / 2}
        @done=${(event: CustomEvent<DoneDetail>) => this.#edited(at, event.detail)}
      ></attention-cell-editor>
    `
  }

  protected override updated() {
    if (this.matrix) this.#picture.schedule(this.matrix, () => this.redraw())
    if (this.#refocus) {
      this.renderRoot.querySelector<HTMLElement>('td[tabindex="0"]')?.focus({ preventScroll: true })
      this.#refocus = false
      this.renderRoot.querySelector('.focus')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    }
    void this.#placeLens()
  }

  async #placeLens() {
    const lens = this.renderRoot.querySelector<HTMLElement>('.magnified')
    if (!lens) return
    const at = this.pointed ?? this.focused
    const cells = this.renderRoot.querySelector('.cells')?.getBoundingClientRect()
    if (!cells) return
    lens.showPopover()
    // Its size is known once the matrix in it is there, which is before the next frame.
    await lens.querySelector<AttentionMatrix>('attention-matrix')?.updateComplete
    const { cell } = this.#fit()
    const target = { left: cells.left + at.column * cell, top: cells.top + at.row * cell, width: cell, height: cell }
    const { width, height } = lens.getBoundingClientRect()
    const view = { width: innerWidth, height: innerHeight }
    const around = (this.getRootNode() as ShadowRoot).host.getBoundingClientRect()
    const picture = this.painting ? cells : target
    const { left, top } = place(target, { width, height }, view, around, picture, litAround(this))
    lens.style.left = `${Math.round(left)}px`
    lens.style.top = `${Math.round(top)}px`
  }

  redraw() {
    const canvas = this.renderRoot.querySelector('canvas')
    const { theme, ratio } = this.#surroundings
    if (!canvas || !theme || !this.matrix) return
    this.#picture.draw(canvas, { matrix: this.matrix, range: this.range, fit: this.#fit(), theme, ratio })
  }

  #fire<Detail>(type: string, detail?: Detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
  }

  /** How the cells are drawn, for whoever points at them. */
  #drawnCells(matrix: Matrix) {
    const size = this.#fit()
    const { lens } = size
    if (!isSchematic(matrix, size)) return { x: size.cell, y: size.cell, isSchematic: false, lens }
    const { width, height } = sizeOf(matrix, this.#schematicRoom())
    return { x: width / matrix.columns, y: height / matrix.rows, isSchematic: true, lens }
  }

  #focusOn(at: At) {
    this.focused = at
    this.#refocus = true
    this.requestUpdate()
  }

  #focusIn(event: FocusEvent) {
    const cell = event.target as Element
    if (cell.localName !== 'td') return
    // It came by the tab key, and not by a click on a cell.
    if (!this.#refocus) this.ringed = cell.matches(':focus-visible')
    this.requestUpdate()
    // A screen reader may bring the focus to any cell.
    const index = (of: Element | null, name: string) => Number(of?.getAttribute(name)) - 2
    const at = { row: index(cell.parentElement, 'aria-rowindex'), column: index(cell, 'aria-colindex') }
    if (!same(at, this.focused)) this.#focusOn(at)
    this.#fire<MatrixCell>('point', at)
  }

  #focusOut(event: FocusEvent) {
    const to = event.relatedTarget as Node | null
    if (to && this.renderRoot.contains(to)) return
    this.requestUpdate()
    if (!this.#refocus) this.#fire('point', undefined)
  }

  #key(event: KeyboardEvent) {
    if (!this.matrix || event.altKey || event.metaKey || (event.target as Element).localName !== 'td') return
    this.ringed = true
    const at = this.focused
    const to = step(event.key, event.ctrlKey, at, this.matrix)
    if (to) {
      if (!same(to, at)) this.#focusOn(to)
    } else if (event.key === 'Enter' || event.key === 'F2') {
      if (this.editable) this.edited = at
      else if (event.key === 'Enter') this.#fire<MatrixCell>('pick', at)
    } else if (event.key === ' ') {
      if (this.painting) this.#fire<PaintDetail>('paint', { ...at, hide: !isHidden(this.matrix, at), begins: true })
      else this.#fire<MatrixCell>('pick', at)
    } else if (event.key === 'Escape') {
      this.#fire('free')
      // The card is about where the focus is.
      this.#pointing.point(at)
    } else return
    event.preventDefault()
  }

  #edited(at: At, { value, stays }: DoneDetail) {
    this.edited = undefined
    this.#refocus = stays
    if (value !== undefined && Math.fround(value) !== valueAt(this.matrix as Matrix, at))
      this.#fire<EditDetail>('edit', { ...at, value })
  }
}

/** Whether there is only the shape to be drawn of a matrix. */
const isSchematic = ({ stage }: Matrix, { kind }: Fit) => kind === 'schematic' || !isHeld(stage)

/** An overlay over cells, from the first row and column up to, not including, the second. */
const box = (kind: string, rows: readonly [number, number], columns: readonly [number, number]) => html`
  <i
    class=${`box ${kind}`}
    ${paint('--row', String(rows[0]))}
    ${paint('--column', String(columns[0]))}
    ${paint('--rows', String(rows[1] - rows[0]))}
    ${paint('--columns', String(columns[1] - columns[0]))}
  ></i>
`
