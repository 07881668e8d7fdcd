// <attention-thumbnail>: a matrix without labels and digits, a picture of its colours
// and of what is hidden, or only its shape and what is visible.

import { css, html, LitElement, svg } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type { Region } from './matrix/attention-matrix.ts'
import type { Fit } from './matrix/fit.ts'
import { Picture } from './matrix/picture.ts'
import type { Range } from './matrix/range.ts'
import { pathOf } from './matrix/schematic.ts'
import { probeStyle, Surroundings } from './matrix/surroundings.ts'
import type { Matrix } from './model/stage.ts'
import { paint } from './paint.ts'
import { base } from './theme.ts'

/** A side is not drawn shorter, in CSS pixels: a stage of many rows and few columns would be a mere line. */
const least = 12

export class AttentionThumbnail extends LitElement {
  static override properties = {
    matrix: { attribute: false },
    range: { attribute: false },
    side: { type: Number },
    tall: { type: Number },
    lit: { attribute: false },
    schematic: { type: Boolean },
  }
  declare matrix: Matrix
  declare range: Range
  /** The most that it may be wide, in CSS pixels, and high; as high as wide if absent. */
  declare side: number
  declare tall: number | undefined
  declare lit: readonly Region[]
  /** Whether only its shape is shown, as where its numbers are not held. */
  declare schematic: boolean

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
        image-rendering: pixelated;
      }
      svg {
        display: block;
      }
      rect {
        fill: none;
        stroke: var(--line);
      }
      path {
        fill: color-mix(in srgb, var(--attention) 18%, transparent);
      }
      .lit {
        position: absolute;
        left: calc(var(--column) * var(--cell-x));
        top: calc(var(--row) * var(--cell-y));
        width: max(calc(var(--columns) * var(--cell-x)), 3px);
        height: max(calc(var(--rows) * var(--cell-y)), 3px);
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
    this.schematic = false
  }

  #fit(): Fit {
    const { rows, columns } = this.matrix
    const { ratio } = this.#surroundings
    const room = Math.min(this.side / Math.max(columns, 1), (this.tall ?? this.side) / Math.max(rows, 1), 20)
    const side = Math.max(1, Math.floor(room * ratio))
    const block = room * ratio >= 1 ? 1 : Math.ceil(1 / (room * ratio))
    // Of a short side fewer cells share a pixel, and these are drawn longer.
    const shared = (count: number) =>
      Math.ceil(count / block) * side >= least * ratio ? block : Math.max(1, Math.floor(count / (least * ratio)))
    const [down, across] = [shared(rows), shared(columns)]
    const [width, height] = [Math.ceil(columns / across) * side, Math.ceil(rows / down) * side]
    const isLonger = Math.min(width, height) < least * ratio
    return {
      kind: block > 1 || side < 4 || isLonger ? 'overview' : 'cells',
      side,
      block: down,
      across,
      width,
      height,
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

  /** The picture's size and a cell's, in CSS pixels. */
  #size({ side, block, across = block, width, height }: Fit) {
    const { ratio } = this.#surroundings
    const long = (pixels: number) => (pixels === 0 ? 0 : Math.max(pixels / ratio, least))
    const size = { width: long(width), height: long(height) }
    return { ...size, x: (size.width / width) * (side / across), y: (size.height / height) * (side / block) }
  }

  override render() {
    const { width, height, x, y } = this.#size(this.#fit())
    return html`
      <i class="probe" aria-hidden="true" @transitionrun=${this.#surroundings.read}></i>
      ${
        this.schematic
          ? guard([this.matrix.stage, this.matrix.offset, width, height], () => shapeOf(this.matrix, width, height))
          : html`<canvas aria-hidden="true" ${paint('--width', `${width}px`)} ${paint('--height', `${height}px`)}></canvas>`
      }
      ${this.lit.map(
        ({ rows, columns, kind }) => html`
          <i
            class=${`lit ${kind ?? ''}`}
            ${paint('--cell-x', `${x}px`)}
            ${paint('--cell-y', `${y}px`)}
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
    const { x, y } = this.#size(this.#fit())
    return new DOMRect(left + columns[0] * x, top + rows[0] * y, (columns[1] - columns[0]) * x, (rows[1] - rows[0]) * y)
  }

  redraw() {
    const canvas = this.renderRoot.querySelector('canvas')
    const { theme, ratio } = this.#surroundings
    if (!canvas || !theme) return
    this.#picture.draw(canvas, { matrix: this.matrix, range: this.range, fit: this.#fit(), theme, ratio })
  }
}

const shapeOf = (matrix: Matrix, width: number, height: number) => html`
  <svg aria-hidden="true" width=${width} height=${height}>
    ${svg`<path d=${pathOf(matrix, width, height, 0)} /><rect x="0.5" y="0.5" width=${width - 1} height=${height - 1} />`}
  </svg>
`
