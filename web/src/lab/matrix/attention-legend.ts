// <attention-legend>: what the colours and patterns of matrices mean. It draws with
// what draws the cells, so that it can't say otherwise.

import { css, html, LitElement, nothing } from 'lit'
import type { Matrix } from '../model/stage.ts'
import { paint } from '../paint.ts'
import { base } from '../theme.ts'
import { matrixWords as words } from '../words.ts'
import { drawPattern, drawRamp, drawSample } from './draw.ts'
import { endOf, significant } from './format.ts'
import { type Marks, marksOf } from './marks.ts'
import { paletteOf } from './palette.ts'
import { type Range, scaleOf } from './range.ts'
import { probeStyle, Surroundings } from './surroundings.ts'

const rampWidth = 120
const height = 12
const swatchWidth = 22

/** The colours from the least to the largest of some numbers. */
export interface LegendRamp {
  /** What the numbers are. */
  readonly name: string
  readonly range: Range
}

export class AttentionLegend extends LitElement {
  static override properties = {
    ramps: { attribute: false },
    matrices: { attribute: false },
  }
  declare ramps: readonly LegendRamp[]
  /** The matrices that it explains; only what occurs in them is named. */
  declare matrices: readonly Matrix[]

  readonly #surroundings = new Surroundings(this)
  #marks: Marks = { rules: [], notANumber: false, infinite: false }
  /** What its canvases show. */
  #drawn: readonly unknown[] = []

  static override styles = [
    base,
    probeStyle,
    css`
      :host {
        position: relative;
        font-size: var(--text-small);
        line-height: 1.4;
        color: var(--ink-soft);
        font-variant-numeric: tabular-nums;
      }
      ul {
        display: flex;
        flex-wrap: wrap;
        align-items: flex-start;
        gap: var(--space-1) var(--space-4);
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: inline-flex;
        align-items: center;
        gap: var(--space-2);
      }
      .ramp {
        position: relative;
      }
      .zero {
        position: absolute;
        top: 100%;
        left: var(--zero);
        padding-top: 3px;
        font-size: 0.625rem;
        line-height: 1;
        transform: translateX(-50%);
      }
      .zero::before {
        content: '';
        position: absolute;
        bottom: calc(100% - 3px);
        left: 50%;
        height: 4px;
        border-left: 1px solid currentColor;
      }
      .signed {
        padding-bottom: 10px;
      }
      canvas {
        width: var(--width);
        height: ${height}px;
        border-radius: 3px;
        forced-color-adjust: none;
      }
    `,
  ]

  constructor() {
    super()
    this.ramps = []
    this.matrices = []
  }

  override render() {
    this.#marks = marksOf(this.matrices)
    const { rules, notANumber, infinite } = this.#marks
    const names = this.matrices.find(({ stage }) => stage.hiddenNames)?.stage.hiddenNames ?? []
    return html`
      <i
        class="probe"
        aria-hidden="true"
        @transitionrun=${this.#surroundings.read}
        @transitionend=${this.#surroundings.read}
      ></i>
      <ul>
        ${this.#known().map(({ name, range }) => this.#ramp(name, range))}
        ${rules.map((rule) => html`<li>${swatch('rule')}${words.legendHidden(names[rule] ?? String(rule))}</li>`)}
        ${notANumber ? html`<li>${swatch('not-a-number')}${words.legendNotANumber}</li>` : nothing}
        ${infinite ? html`<li>${swatch('infinite')}${words.legendInfinite}</li>` : nothing}
      </ul>
    `
  }

  /** Those whose ends are known. */
  #known = () => this.ramps.filter(({ range }) => range.min <= range.max)

  #ramp(name: string, range: Range) {
    const { min, max } = range
    const flat = min === max
    const zero = -min / (max - min)
    // Where it doesn't run into the numbers at the ends.
    const apart = zero > 0.08 && zero < 0.92
    return html`
      <li class=${apart ? 'signed' : ''}>
        ${name} ${significant(min)}
        <span class="ramp" ${paint('--width', `${rampWidth}px`)} ${paint('--zero', `${100 * zero}%`)}>
          ${flat ? nothing : html`<span class="unseen">${words.legendTo}</span>`}
          <canvas class="colours" aria-hidden="true"></canvas>
          ${apart ? html`<span class="zero" aria-hidden="true">0</span>` : nothing}
        </span>
        ${flat ? nothing : endOf(range)}
      </li>
    `
  }

  protected override updated() {
    this.redraw()
  }

  redraw() {
    const { theme, ratio } = this.#surroundings
    if (!theme) return
    const { rules, notANumber, infinite } = this.#marks
    const ranges = this.#known().map(({ range }) => range)
    const wanted = [theme, ratio, notANumber, infinite, rules.join(), ...ranges.flatMap(({ min, max }) => [min, max])]
    if (wanted.length === this.#drawn.length && wanted.every((part, index) => part === this.#drawn[index])) return
    this.#drawn = wanted
    const sized = (canvas: HTMLCanvasElement, width: number) =>
      Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) })
    const all = (kind: string) => Array.from(this.renderRoot.querySelectorAll<HTMLCanvasElement>(`canvas.${kind}`))
    all('colours').forEach((canvas, index) => {
      const range = ranges[index] as Range
      drawRamp(sized(canvas, rampWidth), range, scaleOf(range, paletteOf(theme.dark)), theme)
    })
    all('rule').forEach((canvas, index) => {
      drawPattern(sized(canvas, swatchWidth), rules[index] as number, theme, ratio)
    })
    for (const canvas of all('not-a-number')) drawSample(sized(canvas, height), Number.NaN, theme, ratio)
    for (const canvas of all('infinite')) drawSample(sized(canvas, height), Number.POSITIVE_INFINITY, theme, ratio)
  }
}

const swatch = (kind: string) => {
  const width = kind === 'rule' ? swatchWidth : height
  return html`<canvas class=${kind} aria-hidden="true" ${paint('--width', `${width}px`)}></canvas>`
}
