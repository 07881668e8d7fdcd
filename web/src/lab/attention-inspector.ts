// <attention-inspector>: where one number comes from, with the record that the engine
// gives of it: every term of its sum, every step from a dot product to a weight.

import formulas from 'virtual:formulas'
import { css, html, LitElement, nothing, type TemplateResult } from 'lit'
import type { CellRecord } from '../engine/index.ts'
import { bracketed, exact, scale as scaleText } from './format.ts'
import { formulaStyles, indices } from './formulas.ts'
import { KeptHeight } from './kept-height.ts'
import { significant } from './matrix/format.ts'
import type { StageCell } from './model/chain.ts'
import type { Scene } from './model/scene.ts'
import type { Stage } from './model/stage.ts'
import { hidersOf, labelKind, labelsOf } from './stage-look.ts'
import { exponentialTable, sumTableStyles, termTable } from './sum-table.ts'
import { base } from './theme.ts'
import { visible } from './tokens.ts'
import { labWords as words } from './words.ts'

export class AttentionInspector extends LitElement {
  static override properties = {
    scene: { attribute: false },
    cell: { attribute: false },
    sequence: { attribute: false },
    record: { attribute: false },
    locked: { type: Boolean },
    opened: { state: true },
  }
  declare scene: Scene
  declare cell: StageCell
  declare sequence: number
  declare record: CellRecord | undefined
  declare locked: boolean
  /** Whether the row's sum is shown; of 512 keys its table would take longer than all the rest. */
  declare opened: boolean

  constructor() {
    super()
    this.opened = false
    // What is visible has more lines than what is hidden, a weight more than its score.
    new KeptHeight(this, () => {
      const { headDim, valueDim, features, keys, state, queryHeads, kvHeads } = this.scene.settings
      return [this.opened, headDim, valueDim, features, keys, queryHeads, kvHeads, state.softcap > 0].join()
    })
  }

  static override styles = [
    base,
    formulaStyles,
    sumTableStyles,
    css`
      /* Paper has no pointer. */
      @media print {
        :host {
          min-height: 0 !important;
        }
      }
      .formula {
        /* What can be scrolled is cut at its edges, and letters stand out of a formula's box. */
        margin-block: var(--space-1) calc(-1 * var(--space-1));
        padding-block: var(--space-1);
        /* One that is too wide can be scrolled, and so gets the focus. */
        overflow-x: auto;
        scroll-margin-top: var(--above, 0px);
      }
      .sum {
        display: flex;
        flex-wrap: wrap;
        align-items: baseline;
        gap: 6px 0.25em;
      }
      section {
        padding: var(--space-4);
        background: var(--sunken);
        border-radius: 10px;
      }
      h3 {
        font-size: var(--text-large);
        overflow-wrap: anywhere;
      }
      .indices {
        display: flex;
        flex-wrap: wrap;
        gap: 0 var(--space-3);
      }
      .where,
      .indices {
        font-size: var(--text-small);
        text-wrap: pretty;
      }
      .number {
        font-variant-numeric: tabular-nums;
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr) max-content;
        gap: 2px var(--space-3);
        margin-top: var(--space-3);
        font-variant-numeric: tabular-nums;
        align-items: baseline;
      }
      dt {
        color: var(--ink-soft);
      }
      dt.here {
        color: var(--ink);
        font-weight: 600;
      }
      .result {
        text-align: end;
        font-weight: 600;
      }
      details {
        margin-top: var(--space-2);
        font-size: var(--text-small);
      }
      summary {
        width: max-content;
        color: var(--ink-soft);
        cursor: pointer;
      }
      details .scroll {
        margin-top: var(--space-1);
      }
      .note {
        margin-top: var(--space-3);
        font-size: var(--text-small);
      }
    `,
  ]

  override render() {
    const { record, cell, scene } = this
    const stage = scene.stages.get(cell.stage)
    if (!stage || !record) return html`<section><p class="soft">${words.cardEmpty}</p></section>`
    const { pair } = record
    return html`
      <section aria-labelledby="title">
        <h3 id="title">${this.#title(stage)}</h3>
        <p class="where soft">${words.stageTitles[stage.name]}${this.#where(stage, record)}</p>
        ${this.#formula(stage)} ${this.#sum(stage, record)} ${pair ? this.#filled(stage, pair) : nothing} ${pair ? this.#pair(stage, record, pair) : this.#plain(stage, record)}
        <p class="note soft">${this.locked ? words.lockedNote : words.lockNote}</p>
      </section>
    `
  }

  #label(axis: Stage['axes'][number], index: number): string {
    return labelsOf(axis, index + 1, this.scene, this.sequence)[index] ?? String(index)
  }

  #title(stage: Stage): TemplateResult {
    const { row, column } = this.cell
    const [rowAxis, columnAxis] = stage.axes.slice(-2) as [Stage['axes'][number], Stage['axes'][number]]
    const isToken = (axis: string) => axis === 'T' || axis === 'S'
    const named = (axis: typeof rowAxis, index: number, kind: string) =>
      isToken(axis)
        ? html`<bdi class=${kind}>${visible(this.#label(axis, index))}</bdi>`
        : html`<span class="soft">${words.feature(axis, index)}</span>`
    const [ofRow, ofColumn] = [labelKind(rowAxis, stage.name), labelKind(columnAxis, stage.name)]
    return html`${named(rowAxis, row, ofRow)} ${isToken(columnAxis) ? '→' : '·'} ${named(columnAxis, column, ofColumn)}`
  }

  /** How the stage is made, in symbols. */
  #formula({ name }: Stage) {
    const ofContext = this.scene.stages.has('context')
    const formula =
      ofContext && name === 'k'
        ? 'kOfContext'
        : ofContext && name === 'v'
          ? 'vOfContext'
          : made[name as keyof typeof made]
    if (!formula) return nothing
    const named = Object.hasOwn(indices, name) ? indices[name as keyof typeof indices] : []
    return html`
      <p class="formula">${formulas[formula]({ whereHidden: words.whereHidden })}</p>
      ${named.length > 0 ? html`<p class="indices soft">${named.map((index) => html`<span><i>${index}</i> ${words.indices[index]}</span> `)}</p>` : nothing}
    `
  }

  /** The same with the cell's numbers. */
  #filled({ name }: Stage, pair: NonNullable<CellRecord['pair']>) {
    const { state, headDim, queryHeads, kvHeads } = this.scene.settings
    const [dot, score, weight] = [bracketed(pair.dot), bracketed(pair.score), exact(pair.weight)]
    const isScore = name === 'scores'
    const lines = [
      isScore && state.scale === 'root' ? formulas.rootScale({ headDim: String(headDim) }) : nothing,
      isScore ? formulas.scoreOf({ scale: scaleText(pair.scale), dot, score: exact(pair.score) }) : nothing,
      name === 'capped' ? formulas.cappedOf({ cap: exact(pair.softcap), score, capped: exact(pair.capped) }) : nothing,
      name === 'masked' ? formulas.maskedOf({ score: exact(pair.capped), masked: exact(pair.masked) }) : nothing,
      name !== 'weights'
        ? nothing
        : pair.rowSum === 0
          ? formulas.emptyRow({ largest: exact(pair.rowMax), weight })
          : formulas.weightOf({
              score: exact(pair.masked),
              largest: bracketed(pair.rowMax),
              sum: exact(pair.rowSum),
              weight,
            }),
      queryHeads > kvHeads
        ? formulas.kvHead({
            head: String(this.cell.head),
            queryHeads: String(queryHeads),
            kvHeads: String(kvHeads),
            kvHead: String(pair.kvHead),
          })
        : nothing,
    ]
    return lines.map((line) => (line === nothing ? nothing : html`<p class="formula">${line}</p>`))
  }

  /** A sum of products with its numbers: the first of them, where there are many. */
  #sum({ name }: Stage, { terms, value }: CellRecord) {
    // The stages behind a dot product have its terms too.
    if (!terms || !sums.has(name)) return nothing
    const { leftValues, rightValues, counted } = terms
    const all = Array.from(counted, (isCounted, term) => (isCounted ? [term] : [])).flat()
    const shown = all.length > mostProducts ? all.slice(0, mostProducts - 1) : all
    const products = shown.map((term, place) => {
      const [left, right] = [leftValues[term] as number, bracketed(rightValues[term] as number)]
      return place === 0
        ? formulas.firstProduct({ left: exact(left), right })
        : formulas.nextProduct({ left: bracketed(left), right })
    })
    if (products.length === 0) return html`<p class="formula">${formulas.emptySum({ sum: exact(value) })}</p>`
    const more = shown.length < all.length ? formulas.moreProducts({}) : nothing
    return html`<p class="formula sum">${products} ${more} ${formulas.sumIs({ sum: exact(value) })}</p>`
  }

  #where(stage: Stage, { pair }: CellRecord) {
    const heads = stage.axes.includes('Hq') ? words.queryHead : stage.axes.includes('Hkv') ? words.kvHead : undefined
    const several = this.scene.settings.queryHeads > 1
    return html`${heads && several ? `, ${heads(this.cell.head)}` : nothing}${
      pair && several ? words.readsKvHead(pair.kvHead) : nothing
    }${pair ? words.atPositions(pair.queryPosition, pair.keyPosition) : nothing}`
  }

  /** The whole chain of a query and a key; the stage that is looked at stands out. */
  #pair(stage: Stage, record: CellRecord, pair: NonNullable<CellRecord['pair']>) {
    const { settings } = this.scene
    const { head, row, column } = this.cell
    const hidden = hidersOf(this.scene, [this.sequence, head, row, column])
    const step = (name: string, title: string, work: unknown, result: number) => html`
      <dt class=${stage.name === name ? 'here' : ''}>${title}</dt>
      <dd class="work">${work}</dd>
      <dd class=${name === 'weights' ? 'result weight' : 'result'}>${exact(result)}</dd>
    `
    return html`
      ${record.terms ? termTable(record.terms, this) : nothing}
      <dl>
        ${step('dots', words.stepDot, words.sumOf(record.terms?.products.length ?? 0), pair.dot)}
        ${step('scores', words.stepScale, html`${exact(pair.dot)} × ${scaleText(pair.scale)}`, pair.score)}
        ${
          settings.state.softcap > 0
            ? step(
                'capped',
                words.stepSoftcap,
                `${exact(pair.softcap)}·tanh(${exact(pair.score)} ÷ ${exact(pair.softcap)})`,
                pair.capped,
              )
            : nothing
        }
        ${step('masked', words.stepMask, hidden.length > 0 ? words.hidden : words.visible, pair.masked)}
        ${step(
          'weights',
          words.stepSoftmax,
          hidden.length > 0
            ? words.hiddenWeight
            : pair.rowSum === 0
              ? words.emptyWeight
              : html`exp(${exact(pair.masked)} − ${bracketed(pair.rowMax)}) ÷ ${exact(pair.rowSum)}`,
          pair.weight,
        )}
      </dl>
      <p class="note">
        ${hidden.length > 0 ? words.hiddenBy(hidden) : nothing}
        ${
          pair.rowSum === 0
            ? words.emptyRow
            : hidden.length > 0
              ? nothing
              : words.softmaxParts(exact(pair.rowMax), exact(pair.exponential), exact(pair.rowSum))
        }
      </p>
      ${stage.name === 'weights' && pair.rowSum !== 0 ? this.#row(pair) : nothing}
    `
  }

  #row(pair: NonNullable<CellRecord['pair']>) {
    return html`
      <details
        .open=${this.opened}
        @toggle=${(event: Event) => {
          this.opened = (event.target as HTMLDetailsElement).open
        }}
      >
        <summary>${words.rowSum}</summary>
        ${this.opened ? exponentialTable(pair, this) : nothing}
      </details>
    `
  }

  #plain(stage: Stage, record: CellRecord) {
    if (record.operation === 'given')
      return html`<p class="note"><span class="number">${significant(record.value)}</span> ${words.given(words.editable.has(stage.name))}</p>`
    if (record.operation === 'merge')
      return html`${this.#merged(record)}<p class="note"><span class="number">${exact(record.value)}</span> ${words.moved}</p>`
    return html`
      ${record.terms ? termTable(record.terms, this) : nothing}
      <dl>
        <dt class="here">${words.sum}</dt>
        <dd></dd>
        <dd class="result">${exact(record.value)}</dd>
      </dl>
      ${record.terms?.counted.includes(1) === false ? html`<p class="note">${words.emptySum}</p>` : nothing}
    `
  }

  /** Which head's which feature a column of the merged heads is. */
  #merged({ sources, value }: CellRecord) {
    const [, head = 0, , feature = 0] = sources[0]?.index ?? []
    const slots = {
      column: String(this.cell.column),
      head: String(head),
      feature: String(feature),
      value: exact(value),
    }
    return html`<p class="formula">${formulas.mergedOf(slots)}</p>`
  }
}

/** The stages whose every cell is a sum of products. */
const sums: ReadonlySet<string> = new Set(['q', 'k', 'v', 'dots', 'mixed', 'output'])

/** So many products are written out in a line. */
const mostProducts = 4

/** The stages that are made of others, and the formulas of how. */
const made = {
  q: 'q',
  k: 'k',
  v: 'v',
  dots: 'dots',
  scores: 'scores',
  capped: 'capped',
  masked: 'masked',
  weights: 'weights',
  mixed: 'mixed',
  merged: 'merged',
  output: 'output',
} as const
