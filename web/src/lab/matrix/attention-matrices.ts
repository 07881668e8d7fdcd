// <attention-matrices>: a stage's matrices of all heads as small multiples, those that
// read the same KV head within one frame; or one of them large.

import { css, html, LitElement, nothing } from 'lit'
import type { Matrix } from '../model/stage.ts'
import { paint } from '../paint.ts'
import { base } from '../theme.ts'
import { type LabelKind, matrixWords as words } from '../words.ts'
import type { EditDetail, MatrixCell, PaintDetail, Region } from './attention-matrix.ts'
import { gap, groupsOf, multiples, stripGap } from './multiples.ts'
import type { Range } from './range.ts'
import { Width } from './width.ts'

/** What the heads' events carry besides their own details. */
export interface OfHead {
  readonly head: number
}

export interface HeadRegion extends Region, OfHead {}

/**
 * @fires {CustomEvent<(MatrixCell & OfHead) | undefined>} point - As <attention-matrix>, with the head.
 * @fires {CustomEvent<MatrixCell & OfHead>} pick
 * @fires {CustomEvent<PaintDetail & OfHead>} paint
 * @fires {CustomEvent<EditDetail & OfHead>} edit
 * @fires {CustomEvent<undefined>} free
 * @fires {CustomEvent<{ head: number | undefined }>} head - The head that is to be shown alone; undefined for all.
 *
 * All of them bubble and are composed.
 */
export class AttentionMatrices extends LitElement {
  static override properties = {
    matrices: { attribute: false },
    kvHeads: { attribute: false },
    alone: { attribute: false },
    name: { attribute: false },
    range: { attribute: false },
    rowLabels: { attribute: false },
    columnLabels: { attribute: false },
    rowKind: { attribute: false },
    columnKind: { attribute: false },
    rowSums: { attribute: false },
    marked: { attribute: false },
    locked: { type: Boolean },
    lit: { attribute: false },
    painting: { type: Boolean },
    editable: { type: Boolean },
  }
  /** One for each head. */
  declare matrices: readonly Matrix[]
  /** The KV head that each query head reads, in order. Absent where the heads are KV heads themselves. */
  declare kvHeads: readonly number[] | undefined
  /** The one head that is shown, large. */
  declare alone: number | undefined
  /** What the matrices are: 'Attention weights'. */
  declare name: string
  declare range: Range
  declare rowLabels: readonly string[]
  declare columnLabels: readonly string[]
  declare rowKind: LabelKind
  declare columnKind: LabelKind
  /** Gives the sums of a head's rows; see <attention-matrix>. */
  declare rowSums: ((head: number) => ArrayLike<number> | undefined) | undefined
  declare marked: (MatrixCell & OfHead) | undefined
  declare locked: boolean
  declare lit: readonly HeadRegion[]
  declare painting: boolean
  declare editable: boolean

  static override styles = [
    base,
    css`
      .groups {
        display: grid;
        grid-template-columns: repeat(var(--frames), max-content);
        gap: ${gap}px;
      }
      .group {
        display: grid;
        grid-template-columns: repeat(var(--across), max-content);
        align-content: start;
        gap: var(--space-3) ${gap}px;
      }
      .framed {
        padding: var(--space-2) var(--space-3) var(--space-3);
        border: 1px solid var(--line);
        border-radius: var(--radius);
      }
      .title {
        grid-column: 1 / -1;
        font-size: var(--text);
        font-weight: 600;
        line-height: 1.4;
      }
      .strip {
        display: flex;
        gap: ${stripGap}px;
        overflow-x: auto;
        padding-bottom: var(--space-2);
        scroll-padding-inline: var(--space-4);
        scroll-snap-type: x proximity;
      }
      .strip .group {
        flex: none;
      }
      .strip attention-matrix {
        scroll-snap-align: start;
      }
      /* As wide as its matrix, and never the reason that this is wider. */
      button {
        display: block;
        width: 0;
        min-width: 100%;
        min-height: 1.75rem;
        margin: 0 0 var(--space-1);
        padding: 0 var(--space-1);
        font: inherit;
        font-size: var(--text);
        font-weight: 600;
        line-height: 1.4;
        text-align: start;
        color: inherit;
        background: none;
        border: 0;
        border-radius: 4px;
        cursor: pointer;
      }
      button:hover {
        background: var(--sunken);
      }
      button .soft {
        font-weight: 400;
      }
    `,
  ]

  readonly #width = new Width(this)

  constructor() {
    super()
    this.matrices = []
    this.name = ''
    this.range = { min: 0, max: 1 }
    this.rowLabels = []
    this.columnLabels = []
    this.rowKind = 'query'
    this.columnKind = 'key'
    this.locked = false
    this.lit = []
    this.painting = false
    this.editable = false
  }

  override render() {
    if (this.#width.now === 0 || this.matrices.length === 0) return nothing
    const { rowLabels, columnLabels, alone } = this
    if (alone !== undefined && this.matrices[alone]) return this.#head(alone, this.#width.now, this.kvHeads?.[alone])
    const groups = groupsOf(this.matrices.length, this.kvHeads)
    const size = Math.max(...groups.map(({ heads }) => heads.length))
    const room = { width: this.#width.now, ratio: devicePixelRatio }
    const layout = multiples(groups.length, size, rowLabels, columnLabels, room)
    return html`
      <div
        class=${layout.strip ? 'groups strip' : 'groups'}
        ${paint('--frames', String(layout.frames))}
        ${paint('--across', String(layout.across))}
      >
        ${groups.map(({ kvHead, heads }) =>
          size === 1
            ? heads.map((head) => this.#head(head, layout.room, kvHead))
            : html`
                <section class="group framed" aria-label=${words.kvHead(kvHead)}>
                  <p class="title key" aria-hidden="true">${words.kvHead(kvHead)}</p>
                  ${heads.map((head) => this.#head(head, layout.room))}
                </section>
              `,
        )}
      </div>
    `
  }

  /** A head; the KV head is named beside it where no frame says it. */
  #head(head: number, room: number, kvHead?: number) {
    const { rowLabels, columnLabels, rowKind, columnKind, range, marked, lit } = this
    const several = this.matrices.length > 1
    const title = this.#title(head)
    return html`
      <attention-matrix
        .matrix=${this.matrices[head]}
        .range=${range}
        .room=${room}
        .rowLabels=${rowLabels}
        .columnLabels=${columnLabels}
        .rowKind=${rowKind}
        .columnKind=${columnKind}
        .rowSums=${this.rowSums && (() => this.rowSums?.(head))}
        .caption=${several ? `${this.name}, ${title}` : this.name}
        .marked=${marked?.head === head ? marked : undefined}
        .locked=${this.locked && marked?.head === head}
        .lit=${lit.filter((region) => region.head === head)}
        .painting=${this.painting}
        .editable=${this.editable}
        @point=${(event: CustomEvent<MatrixCell | undefined>) => this.#pass(event, head)}
        @pick=${(event: CustomEvent<MatrixCell>) => this.#pass(event, head)}
        @paint=${(event: CustomEvent<PaintDetail>) => this.#pass(event, head)}
        @edit=${(event: CustomEvent<EditDetail>) => this.#pass(event, head)}
      >
        ${several ? this.#caption(head, title, this.kvHeads && kvHead) : nothing}
      </attention-matrix>
    `
  }

  #title(head: number) {
    return this.kvHeads ? words.queryHead(head) : words.kvHead(head)
  }

  #caption(head: number, title: string, kvHead: number | undefined) {
    const alone = this.alone === head
    return html`
      <button
        slot="caption"
        type="button"
        aria-pressed=${alone ? 'true' : 'false'}
        title=${alone ? words.showAll : words.showAlone}
        @click=${() => this.#fire('head', { head: alone ? undefined : head })}
      >
        <span class=${this.kvHeads ? 'query' : 'key'}>${title}</span
        >${kvHead === undefined ? nothing : html`<span class="soft">${words.reads}${words.kvHead(kvHead)}</span>`}
      </button>
    `
  }

  /** The head's own event ends here; one that names the head goes on. */
  #pass(event: CustomEvent<object | undefined>, head: number) {
    event.stopPropagation()
    this.#fire(event.type, event.detail && { head, ...event.detail })
  }

  #fire(type: string, detail: unknown) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
  }
}
