// <attention-stage>: a stage in full. One head stands beside what it is made of, the
// left factor on its left and the right factor above it; all heads stand as small
// multiples.

import { css, html, LitElement, nothing } from 'lit'
import type { Cells } from '../engine/index.ts'
import type { OfHead } from './matrix/attention-matrices.ts'
import type { EditDetail, MatrixCell, PaintDetail, Region } from './matrix/attention-matrix.ts'
import { labelWidth } from './matrix/fit.ts'
import { type Group, groupsOf, multiples } from './matrix/multiples.ts'
import type { Range } from './matrix/range.ts'
import { Width } from './matrix/width.ts'
import {
  type Drawn,
  drawn,
  headAt,
  headsOf,
  type Place,
  placeOf,
  placesOfHeads,
  queryHeadOf,
  regionIn,
  type Sources,
  type StageCell,
  sourcesOf,
} from './model/chain.ts'
import type { Scene } from './model/scene.ts'
import type { Matrix, Stage, StageName } from './model/stage.ts'
import { paint } from './paint.ts'
import { columnLabels, headWords, isDrawn, kindOf, labelKind, rowLabels, shapeWords, wholeShape } from './stage-look.ts'
import { type FactorRooms, type Room, type Rooms, roomsBelow, roomsOf, type Size, titled } from './stage-rooms.ts'
import { base } from './theme.ts'
import { type LabelKind, labWords as words } from './words.ts'

/** From this width on a stage stands with what it is made of. */
const besideFrom = 560

/** As wide as a digit, and no place to break a line. */
const figureSpace = '\u2007'

/** A cell that was painted over. */
export type StageStroke = StageCell & Pick<PaintDetail, 'hide' | 'begins'>

/**
 * What stands in it, such as controls, is shown beside the legend.
 *
 * @fires {CustomEvent<StageCell | undefined>} look - The cell that is pointed at, of this stage or of one beside it.
 * @fires {CustomEvent<StageCell>} choose - A cell that was picked.
 * @fires {CustomEvent<undefined>} free - Escape.
 * @fires {CustomEvent<StageCell & { value: number }>} number - A number that was put in a cell.
 * @fires {CustomEvent<StageStroke>} stroke - A cell that was painted over.
 */
export class AttentionStage extends LitElement {
  static override properties = {
    scene: { attribute: false },
    stage: { attribute: false },
    sequence: { attribute: false },
    head: { attribute: false },
    all: { type: Boolean },
    roomy: { type: Boolean },
    shown: { attribute: false },
    locked: { type: Boolean },
    cells: { attribute: false },
    ranges: { attribute: false },
    rowSums: { attribute: false },
    painting: { type: Boolean },
  }
  declare scene: Scene
  declare stage: StageName
  declare sequence: number
  declare head: number
  declare all: boolean
  /** Whether it has a column of the widget to itself, and so room below. */
  declare roomy: boolean
  declare shown: StageCell
  declare locked: boolean
  declare cells: readonly Cells[]
  declare ranges: ReadonlyMap<StageName, Range>
  /** The sums of a matrix's rows, as the engine adds them up; undefined where it has to be waited for. */
  declare rowSums: (matrix: Matrix) => Float32Array | undefined
  declare painting: boolean

  static override styles = [
    base,
    css`
      .product {
        display: grid;
        grid-template-columns: var(--left) var(--result);
        gap: var(--space-3) var(--space-4);
        justify-content: start;
        align-items: end;
      }
      .product > .left {
        grid-column: 1;
        grid-row: 2;
      }
      .product > .above {
        grid-column: 2;
        grid-row: 1;
      }
      .product > .result {
        grid-column: 2;
        grid-row: 2;
      }
      .sign {
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      .product > .sign {
        grid-column: 1;
        grid-row: 1;
        align-self: end;
        justify-self: end;
        text-align: end;
      }
      .first {
        display: flex;
        flex-wrap: wrap;
        align-items: flex-start;
        gap: var(--space-3) var(--space-4);
      }
      .below {
        display: grid;
        /* A title is as wide as its matrix, so that the two stand side by side. */
        grid-template-columns: var(--left) var(--above);
        gap: var(--space-4);
        align-items: end;
        margin-top: var(--space-4);
      }
      .first > .sign {
        flex-basis: 100%;
      }
      .legend {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: space-between;
        gap: var(--space-2) var(--space-4);
        margin-top: var(--space-3);
      }
      .title {
        display: block;
        margin-bottom: 2px;
        padding: 0;
        font: inherit;
        font-size: var(--text-small);
        font-weight: 600;
        background: none;
        border: 0;
        cursor: pointer;
        text-align: start;
        color: inherit;
      }
      .title.all {
        margin-bottom: var(--space-2);
      }
      button.title:hover {
        text-decoration: underline;
      }
      .shape {
        font-weight: 400;
        color: var(--ink-soft);
        font-variant-numeric: tabular-nums;
      }
    `,
  ]

  readonly #width = new Width(this)

  override render() {
    const stage = this.scene.stages.get(this.stage)
    if (!stage || this.#width.now === 0) return nothing
    // A shape is the same for all heads.
    if (this.all && headsOf(stage) !== 'none' && isDrawn(stage)) return this.#heads(stage)
    const place = { sequence: this.sequence, head: this.head }
    const result = drawn(stage, place, this.scene)
    // Beside all heads' columns stands the head whose column is looked at.
    const source = stage.name === 'merged' ? placeOf(this.shown, place, this.scene) : place
    const sources: Sources = this.#width.now < besideFrom ? {} : sourcesOf(stage, source, this.scene)
    const { left, above } = sources
    const rooms = this.#rooms(result, left, above)
    const own = this.#matrix(result, 'result', rooms.result, place)
    const factors = html`
      ${this.#factors(sources, rooms, source)}
      ${above && html`<p class="sign">${words.makes[stage.name]}</p>`}
    `
    return html`
      <div
        class=${left ? (rooms.paper ? 'product' : 'first') : ''}
        ${paint('--left', `${rooms.left?.width ?? 0}px`)}
        ${paint('--result', `${rooms.result.width}px`)}
      >
        ${rooms.paper ? factors : own} ${rooms.paper ? own : factors}
      </div>
      ${this.#legend(rooms.paper ? [left, above, result] : [result, left, above])}
    `
  }

  #rooms(result: Drawn, left: Drawn | undefined, above: Drawn | undefined): Rooms {
    const { now: width } = this.#width
    const size = this.#size
    if (isDrawn(result.stage)) {
      const sums = this.#sums(result) !== undefined
      return roomsOf(size(result), left && size(left), above && size(above), sums, width)
    }
    const each = left ? Math.floor((width - 16) / 2) : width
    const room = { width: each, tall: undefined, labels: undefined }
    return { paper: true, result: room, left: room, above: { ...room, tall: 240 } }
  }

  /** The rooms below all heads for what the one that is looked at is made of; undefined where there is none. */
  #roomsBelow(first: Drawn, groups: readonly Group[], { left, above }: Sources) {
    const { now: width } = this.#width
    if (!left || width < besideFrom) return undefined
    const groupSize = Math.max(...groups.map(({ heads }) => heads.length))
    const columns = columnLabels(first, this.scene, this.sequence)
    const room = { width, ratio: devicePixelRatio }
    const { height } = multiples(groups.length, groupSize, this.#rowLabels(first), columns, room)
    return roomsBelow(height, this.#size(left), above && this.#size(above), { width, tall: innerHeight })
  }

  readonly #size = (from: Drawn): Size => ({ ...from.matrix, labels: labelWidth(this.#rowLabels(from)) })

  #rowLabels(from: Drawn) {
    return rowLabels(from, this.scene, this.sequence)
  }

  #factors({ left, above }: Sources, rooms: FactorRooms, place: Place) {
    return html`${left && this.#matrix(left, 'left', rooms.left, place)} ${above && this.#matrix(above, 'above', rooms.above, place)}`
  }

  #below(sources: Sources, rooms: FactorRooms, place: Place) {
    const width = (room: Room | undefined) => `${Math.max(room?.width ?? 0, titled)}px`
    return html`
      <div class="below" ${paint('--left', width(rooms.left))} ${paint('--above', width(rooms.above))}>
        ${this.#factors(sources, rooms, place)}
      </div>
    `
  }

  #matrix(from: Drawn, role: 'left' | 'above' | 'result', room: Room | undefined, place: Place) {
    const labelRoom = this.#width.now >= besideFrom ? room?.labels : undefined
    const { matrix, stage, rowAxis, columnAxis, turned } = from
    const { name } = stage
    const title = words.stageTitles[name]
    const head = headAt(stage, place, this.scene)
    const ofHead = this.#ofHead(stage, place)
    const shape = html`<span class="shape">${ofHead && `${ofHead} `}${wholeShape(from)}</span>`
    const of = (at: MatrixCell) => this.#cellIn(from, head, at)
    const marked = this.shown.stage === name && this.shown.head === head ? this.#atIn(from, this.shown) : undefined
    return html`
      <div class=${role}>
        ${
          role === 'result'
            ? html`<h3 class=${`title ${kindOf(name)}`}>${title}${turned ? words.turned : nothing} ${shape}</h3>`
            : html`<button type="button" class=${`title ${kindOf(name)}`} @click=${() => this.#fire('stage', name)}>
                ${title}${turned ? words.turned : nothing} ${shape}
              </button>`
        }
        <attention-matrix
          .matrix=${matrix}
          .range=${this.#range(name)}
          .room=${room?.width}
          .tallest=${room?.tall}
          .labelRoom=${labelRoom}
          .rowSums=${role === 'result' ? this.#sums(from) : undefined}
          .rowLabels=${this.#rowLabels(from)}
          .columnLabels=${columnLabels(from, this.scene, this.sequence)}
          .rowKind=${labelKind(rowAxis, name)}
          .columnKind=${labelKind(columnAxis, name)}
          .caption=${title}
          .marked=${marked}
          .locked=${this.locked && marked !== undefined}
          .lit=${this.#lit(from)}
          .painting=${this.painting && role === 'result' && name === 'masked'}
          .editable=${role === 'result' && words.editable.has(name)}
          @point=${(event: CustomEvent<MatrixCell | undefined>) => this.#fire('look', event.detail && of(event.detail))}
          @pick=${(event: CustomEvent<MatrixCell>) => this.#fire('choose', of(event.detail))}
          @edit=${(event: CustomEvent<EditDetail>) => this.#fire('number', { ...of(event.detail), value: event.detail.value })}
          @paint=${(event: CustomEvent<PaintDetail>) => this.#fire('stroke', { ...event.detail, ...of(event.detail) })}
        ></attention-matrix>
      </div>
    `
  }

  /** As wide for every head, so that no line of a title is broken for one only. */
  #ofHead(stage: Stage, place: Place) {
    const last = { ...place, head: this.scene.settings.queryHeads - 1 }
    const longest = headWords(stage, last, this.scene)?.length ?? 0
    return headWords(stage, place, this.scene)?.padEnd(longest, figureSpace)
  }

  /** Weights have the sums of their rows beside them. */
  #sums({ matrix }: Drawn) {
    return matrix.stage.name === 'weights' ? () => this.rowSums(matrix) : undefined
  }

  #cellIn({ stage, turned, firstRow }: Drawn, head: number, { row, column }: MatrixCell): StageCell {
    const [at, across] = turned ? [column, row] : [row, column]
    return { stage: stage.name, head, row: at + firstRow, column: across }
  }

  #atIn({ turned, firstRow, matrix }: Drawn, cell: StageCell): MatrixCell | undefined {
    const row = cell.row - firstRow
    const at = turned ? { row: cell.column, column: row } : { row, column: cell.column }
    return at.row >= 0 && at.row < matrix.rows && at.column < matrix.columns ? at : undefined
  }

  #lit(from: Drawn): Region[] {
    const kind = (kindOf(from.stage.name) || undefined) as LabelKind | undefined
    return this.cells.flatMap((cells) => {
      const region = regionIn(from, cells)
      return region ? [{ ...region, kind }] : []
    })
  }

  #heads(stage: Stage) {
    const heads = headsOf(stage)
    const place = { sequence: this.sequence, head: this.head }
    const each = placesOfHeads(stage, place, this.scene).map((at) => drawn(stage, at, this.scene))
    const first = each[0] as Drawn
    const kvHeads = heads === 'query' ? this.scene.kvHeads : undefined
    const source = placeOf(this.shown, place, this.scene)
    const sources = sourcesOf(stage, source, this.scene)
    const rooms = this.roomy ? this.#roomsBelow(first, groupsOf(each.length, kvHeads), sources) : undefined
    const { name } = stage
    const of = ({ head, row, column }: MatrixCell & OfHead): StageCell => ({ stage: name, head, row, column })
    return html`
      <h3 class=${`title all ${kindOf(name)}`}>
        ${words.stageTitles[name]} <span class="shape">${shapeWords(stage.axes, stage.shape)}</span>
      </h3>
      <attention-matrices
        .matrices=${each.map(({ matrix }) => matrix)}
        .kvHeads=${kvHeads}
        .name=${words.stageTitles[name]}
        .range=${this.#range(name)}
        .rowSums=${name === 'weights' ? (head: number) => this.rowSums((each[head] as Drawn).matrix) : undefined}
        .rowLabels=${rowLabels(first, this.scene, this.sequence)}
        .columnLabels=${columnLabels(first, this.scene, this.sequence)}
        .rowKind=${labelKind(first.rowAxis, name)}
        .columnKind=${labelKind(first.columnAxis, name)}
        .marked=${this.shown.stage === name ? this.shown : undefined}
        .locked=${this.locked}
        .lit=${each.flatMap((from, head) => this.#lit(from).map((region) => ({ ...region, head })))}
        .painting=${this.painting && name === 'masked'}
        @point=${(event: CustomEvent<(MatrixCell & OfHead) | undefined>) => this.#fire('look', event.detail && of(event.detail))}
        @pick=${(event: CustomEvent<MatrixCell & OfHead>) => this.#fire('choose', of(event.detail))}
        @paint=${(event: CustomEvent<PaintDetail & OfHead>) => this.#fire('stroke', { ...event.detail, ...of(event.detail) })}
        @head=${(event: CustomEvent<{ head: number | undefined }>) => {
          event.stopPropagation()
          const { head } = event.detail
          this.#fire('alone', head === undefined ? undefined : queryHeadOf(stage, head, this.scene))
        }}
      ></attention-matrices>
      ${rooms ? this.#below(sources, rooms, source) : nothing}
      ${rooms ? this.#legend([...each, sources.left, sources.above], [first, sources.left, sources.above]) : this.#legend(each, [first])}
    `
  }

  /** What the colours of the matrices mean; those of several heads have one ramp, those of several stages one each. */
  #legend(shown: readonly (Drawn | undefined)[], ramps = shown) {
    const present = (of: typeof shown) => of.filter((from) => from !== undefined && isDrawn(from.stage)) as Drawn[]
    return html`
      <div class="legend">
        ${
          present(shown).length > 0
            ? html`<attention-legend
                .ramps=${present(ramps).map(({ stage: { name } }) => ({ name: words.stageTitles[name], range: this.#range(name) }))}
                .matrices=${present(shown).map(({ matrix }) => matrix)}
              ></attention-legend>`
            : nothing
        }
        <slot></slot>
      </div>
    `
  }

  #range = (name: StageName) => this.ranges.get(name) ?? { min: 0, max: 1 }

  #fire(type: string, detail: unknown) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
  }
}
