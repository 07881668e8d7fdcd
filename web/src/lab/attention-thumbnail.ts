// <attention-thumbnail>: a matrix without labels and digits, a picture of its colours.

import { css, html, LitElement } from 'lit'
import type { Region } from './matrix/attention-matrix.ts'
import type { Fit } from './matrix/fit.ts'
import { Picture } from './matrix/picture.ts'
import type { Range } from './matrix/range.ts'
import { probeStyle, Surroundings } from './matrix/surroundings.ts'
import type { Matrix } from './model/stage.ts'
import { paint } from './paint.ts'
import { base } from './theme.ts'

export class AttentionThumbnail extends LitElement {
  static override properties = {
    matrix: { attribute: false },
    range: { attribute: false },
    side: { type: Number },
    tall: { type: Number },
    lit: { attribute: false },
  }
  declare matrix: Matrix
  declare range: Range
  /** The most that it may be wide, in CSS pixels, and high; as high as wide if absent. */
  declare side: number
  declare tall: number | undefined
  declare lit: readonly Region[]

  readonly #surroundings = new Surroundings(this)
  readonly #picture = new Picture()

  static override styles = [
    base,
    probeStyle,
    css`
      :host {
        position: relative;
        width: max-content;
      }
      canvas {
        display: block;
        width: var(--width);
        height: var(--height);
      }
      .lit {
        position: absolute;
        left: calc(var(--column) * var(--cell));
        top: calc(var(--row) * var(--cell));
        width: max(calc(var(--columns) * var(--cell)), 3px);
        height: max(calc(var(--rows) * var(--cell)), 3px);
        outline: 2px solid var(--attention);
        border-radius: 1px;
      }
      .lit.query {
        outline-color: var(--query);
      }
      .lit.key {
        outline-color: var(--key);
      }
      .lit.value {
        outline-color: var(--value);
      }
    `,
  ]

  constructor() {
    super()
    this.side = 96
    this.lit = []
  }

  #fit(): Fit {
    const { rows, columns } = this.matrix
    const { ratio } = this.#surroundings
    const room = Math.min(this.side / Math.max(columns, 1), (this.tall ?? this.side) / Math.max(rows, 1), 20)
    const side = Math.max(1, Math.floor(room * ratio))
    const block = room * ratio >= 1 ? 1 : Math.ceil(1 / (room * ratio))
    return {
      kind: block > 1 || side < 4 ? 'overview' : 'cells',
      side,
      block,
      width: Math.ceil(columns / block) * side,
      height: Math.ceil(rows / block) * side,
      cell: side / ratio / block,
      rowLabel: 0,
      sums: 0,
      columnLabel: 0,
      upright: false,
      every: 1,
      text: 0,
      lens: false,
    }
  }

  override render() {
    const { width, height, cell } = this.#fit()
    const { ratio } = this.#surroundings
    return html`
      <i class="probe" aria-hidden="true" @transitionrun=${this.#surroundings.read}></i>
      <canvas
        aria-hidden="true"
        ${paint('--width', `${width / ratio}px`)}
        ${paint('--height', `${height / ratio}px`)}
      ></canvas>
      ${this.lit.map(
        ({ rows, columns, kind }) => html`
          <i
            class=${`lit ${kind ?? ''}`}
            ${paint('--cell', `${cell}px`)}
            ${paint('--row', String(rows[0]))}
            ${paint('--column', String(columns[0]))}
            ${paint('--rows', String(rows[1] - rows[0]))}
            ${paint('--columns', String(columns[1] - columns[0]))}
          ></i>
        `,
      )}
    `
  }

  protected override updated() {
    this.#picture.schedule(this.matrix, () => this.redraw())
  }

  override connectedCallback() {
    super.connectedCallback()
    if (this.hasUpdated) this.requestUpdate()
  }

  override disconnectedCallback() {
    super.disconnectedCallback()
    this.#picture.cancel()
  }

  /** Where cells are on the screen. */
  boxOf({ rows, columns }: Region): DOMRect {
    const { left, top } = this.getBoundingClientRect()
    const { cell } = this.#fit()
    return new DOMRect(
      left + columns[0] * cell,
      top + rows[0] * cell,
      (columns[1] - columns[0]) * cell,
      (rows[1] - rows[0]) * cell,
    )
  }

  redraw() {
    const canvas = this.renderRoot.querySelector('canvas')
    const { theme, ratio } = this.#surroundings
    if (!canvas || !theme) return
    this.#picture.draw(canvas, { matrix: this.matrix, range: this.range, fit: this.#fit(), theme, ratio })
  }
}
