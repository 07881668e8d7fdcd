// <attention-strip>: the stages of the computation from left to right, each with its
// name, its shape and a picture of its matrix. Choosing one shows it in full.

import { css, html, LitElement, nothing, svg } from 'lit'
import type { Cells } from '../engine/index.ts'
import type { AttentionThumbnail } from './attention-thumbnail.ts'
import type { Region } from './matrix/attention-matrix.ts'
import { mostOverview } from './matrix/fit.ts'
import type { Range } from './matrix/range.ts'
import { columns, type Drawn, drawn, type Place, regionIn } from './model/chain.ts'
import type { Scene } from './model/scene.ts'
import { isHeld, type Stage, type StageName } from './model/stage.ts'
import { fields } from './model/state.ts'
import { kindOf } from './stage-look.ts'
import { base } from './theme.ts'
import { labWords as words } from './words.ts'

/** From this width on all stages have room for large pictures, whatever there are of them. */
const roomyFrom = 1240
/** From this width on pictures of 60 px do. */
const easyFrom = 980

/** Whether there is nothing to be seen of a stage but its shape: of a mean of so many pairs there is not. */
const isOnlyShape = (stage: Stage) => !isHeld(stage) || Math.min(...stage.shape.slice(-2)) > mostOverview

/** @fires {CustomEvent<StageName>} stage - A stage that was chosen. Bubbles and is composed. */
export class AttentionStrip extends LitElement {
  static override properties = {
    scene: { attribute: false },
    chosen: { attribute: false },
    place: { attribute: false },
    ranges: { attribute: false },
    cells: { attribute: false },
    target: { attribute: false },
    wide: { type: Boolean, reflect: true },
    width: { attribute: false },
    flows: { state: true },
  }
  declare scene: Scene
  declare chosen: StageName
  declare place: Place
  declare ranges: ReadonlyMap<StageName, Range>
  /** The cells behind what is shown, to be lit. */
  declare cells: readonly Cells[]
  /** The cell that they are behind. */
  declare target: Cells | undefined
  /** Lines from the cells to the one that is made of them, as paths. */
  declare flows: readonly { readonly kind: string; readonly path: string }[]
  /** Whether there is room for all of it at once, with large pictures. */
  declare wide: boolean
  /** In CSS pixels; the lines follow it. */
  declare width: number

  static override styles = [
    base,
    css`
      ol {
        display: flex;
        gap: 0;
        margin: 0;
        padding: 2px 2px var(--space-2);
        overflow-x: auto;
        list-style: none;
        scrollbar-width: thin;
      }
      nav {
        position: relative;
      }
      svg {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
        overflow: visible;
        pointer-events: none;
      }
      path {
        fill: none;
        stroke: var(--attention);
        stroke-width: 1.5;
        opacity: 0.6;
      }
      path.query {
        stroke: var(--query);
      }
      path.key {
        stroke: var(--key);
      }
      path.value {
        stroke: var(--value);
      }
      @media print {
        ol {
          flex-wrap: wrap;
        }
      }
      :host([wide]) ol {
        justify-content: space-between;
        overflow-x: visible;
      }
      li {
        display: flex;
        flex: none;
        align-items: center;
      }
      :host([wide]) li {
        align-items: stretch;
      }
      .arrow {
        align-self: center;
        padding: 0 2px;
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      .column {
        display: flex;
        gap: var(--space-1);
      }
      :host([wide]) .column {
        flex-direction: column;
        justify-content: center;
        gap: 0;
      }
      :host([wide]) button {
        align-content: center;
      }
      button {
        display: grid;
        justify-items: center;
        align-content: start;
        gap: 3px;
        min-width: 2.75rem;
        min-height: 2.5rem;
        padding: var(--space-1) 5px;
        font: inherit;
        font-size: var(--text-small);
        line-height: 1.3;
        color: inherit;
        background: none;
        border: 1px solid transparent;
        border-radius: var(--radius);
        cursor: pointer;
      }
      button:hover,
      button[aria-current] {
        --ground: var(--sunken);
        background: var(--ground);
      }
      button[aria-current] {
        border-color: var(--attention);
      }
      @media (forced-colors: active) {
        button[aria-current] {
          outline: 2px solid Highlight;
        }
      }
      /* The lines pass below what is written. */
      .name,
      .shape {
        position: relative;
        z-index: 1;
        margin: 0 -2px;
        padding: 0 2px;
        background: var(--ground, var(--surface));
      }
      .name {
        font-weight: 600;
        white-space: nowrap;
      }
      .shape {
        font-size: 0.625rem;
        line-height: 1.2;
        color: var(--ink-soft);
        font-variant-numeric: tabular-nums;
        white-space: nowrap;
      }
    `,
  ]

  override render() {
    const present = columns
      .map((names) => names.flatMap((name) => this.scene.stages.get(name) ?? []))
      .filter((stages) => stages.length > 0)
    return html`
      <nav aria-label=${words.stages}>
        <ol>
          ${present.map(
            (stages, index) => html`
              <li>
                ${index > 0 ? html`<span class="arrow" aria-hidden="true">→</span>` : nothing}
                <div class="column">${stages.map((stage) => this.#stage(stage, stages.length))}</div>
              </li>
            `,
          )}
        </ol>
        ${this.wide ? html`<svg aria-hidden="true">${this.flows.map(({ kind, path }) => svg`<path class=${kind} d=${path}></path>`)}</svg>` : nothing}
      </nav>
    `
  }

  #stage(stage: Stage, besides: number) {
    const { name } = stage
    const shape = this.wide ? stage.shape.slice(-2).join(' × ') : ''
    const picture = drawn(stage, this.place, this.scene)
    const look = kindOf(name)
    const side = !this.wide ? 40 : this.width < easyFrom ? 52 : this.width < roomyFrom ? 60 : 80
    return html`
      <button
        type="button"
        aria-current=${name === this.chosen ? 'step' : nothing}
        aria-label=${words.stageButton([fields.stage.options[name], shape].join(' ').trim(), words.stageTitles[name], stage.axes, stage.shape)}
        @click=${() => this.dispatchEvent(new CustomEvent('stage', { detail: name, bubbles: true, composed: true }))}
      >
        <span
          ><span class=${`name ${look}`}>${fields.stage.options[name]}</span>
          ${shape && besides > 1 ? html`<span class="shape">${shape}</span>` : nothing}</span
        >
        <attention-thumbnail
          data-stage=${name}
          .matrix=${picture.matrix}
          .range=${this.ranges.get(name) ?? { min: 0, max: 1 }}
          .side=${side}
          .tall=${this.wide && besides > 1 ? 34 : side}
          .lit=${this.#lit(picture, look)}
          ?schematic=${isOnlyShape(stage)}
        ></attention-thumbnail>
        ${shape && besides === 1 ? html`<span class="shape">${shape}</span>` : nothing}
      </button>
    `
  }

  #lit(picture: Drawn, kind: Region['kind'] | ''): Region[] {
    const shown = this.target ? [...this.cells, this.target] : this.cells
    return shown.flatMap((cells) => {
      const region = regionIn(picture, cells)
      return region ? [{ ...region, kind: kind || undefined }] : []
    })
  }

  constructor() {
    super()
    this.cells = []
    this.flows = []
  }

  /** What the lines' course depends on, when they were drawn last. */
  #course = ''

  /** The lines, once the pictures have their sizes: before the next frame all have been updated. Numbers alone move none, and measuring costs a layout. */
  async #draw() {
    const shapes = [...this.scene.stages.values()].map(({ name, shape }) => [name, shape])
    const course = JSON.stringify([this.cells, this.target, this.place, this.width, shapes])
    if (course === this.#course) return
    this.#course = course
    // In the frame, which lays the page out in any case.
    await new Promise(requestAnimationFrame)
    if (!this.isConnected) this.#course = ''
    if (course !== this.#course) return
    const pictures = [...this.renderRoot.querySelectorAll<AttentionThumbnail>('attention-thumbnail')]
    const origin = this.renderRoot.querySelector('nav')?.getBoundingClientRect()
    const boxOf = (cells: Cells) => {
      const stage = this.scene.stages.get(cells.stage)
      const picture = pictures.find(({ dataset }) => dataset.stage === cells.stage)
      const region = stage && regionIn(drawn(stage, this.place, this.scene), cells)
      return picture && region ? picture.boxOf(region) : undefined
    }
    const to = this.target && boxOf(this.target)
    const flows = this.cells.flatMap((cells) => {
      const from = boxOf(cells)
      if (!from || !to || !origin) return []
      const [x1, y1] = [from.right - origin.left, from.top + from.height / 2 - origin.top]
      const [x2, y2] = [to.left - origin.left, to.top + to.height / 2 - origin.top]
      const bend = (x2 - x1) / 2
      const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
      return [{ kind: kindOf(cells.stage), path }]
    })
    if (JSON.stringify(flows) !== JSON.stringify(this.flows)) this.flows = flows
  }

  protected override updated() {
    if (this.wide) void this.#draw()
    else requestAnimationFrame(() => this.#scroll())
  }

  /** On a phone the chosen stage may lie outside of the strip's window. Before the next frame all pictures have their sizes. */
  #scroll() {
    const button = this.renderRoot.querySelector<HTMLElement>('[aria-current]')
    const strip = this.renderRoot.querySelector('ol')
    if (!button || !strip) return
    const left = button.offsetLeft - strip.offsetLeft
    if (left < strip.scrollLeft || left + button.offsetWidth > strip.scrollLeft + strip.clientWidth) {
      strip.scrollLeft = left - (strip.clientWidth - button.offsetWidth) / 2
    }
  }
}
