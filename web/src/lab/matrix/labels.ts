// The labels beside a drawn matrix, for eyes and for the mouse: as many as there is
// room for. The table behind the picture has them all.

import { html } from 'lit'
import type { StageName } from '../model/stage.ts'
import { paint } from '../paint.ts'
import { visible } from '../tokens.ts'
import { type LabelKind, matrixWords as words } from '../words.ts'
import type { Fit } from './fit.ts'
import { digits } from './format.ts'

/** What the rows and the columns are, in the corner between their labels. */
export const cornerOf = (rowKind: LabelKind, columnKind: LabelKind) => html`
  <div class="corner" aria-hidden="true">
    <span><span class=${columnKind}>${words.kind(columnKind)}</span> →</span>
    <span><span class=${rowKind}>${words.kind(rowKind)}</span> ↓</span>
  </div>
`

interface Labels {
  readonly side: 'row' | 'column'
  readonly labels: readonly string[]
  readonly kind: LabelKind
  /** The index of the cell that is pointed at or shown. */
  readonly lit: number | undefined
}

export function labelStrip({ side, labels, kind, lit }: Labels, { every, upright }: Fit) {
  // The shown one's label stands whatever its number, and those that it would cover don't.
  const free = (index: number) => lit === undefined || Math.abs(index - lit) >= every
  const indices = labels.flatMap((_, index) => (index % every === 0 && free(index) ? [index] : []))
  if (lit !== undefined && labels[lit] !== undefined) indices.push(lit)
  const turn = side === 'column' && upright ? ' upright' : ''
  return html`
    <div class=${`labels ${side}${turn} ${kind}${every > 1 ? ' thinned' : ''}`} aria-hidden="true">
      ${indices.map((index) => {
        const label = labels[index] as string
        return html`<span class=${index === lit ? 'at' : ''} title=${label} ${paint('--at', String(index))}
          ><bdi>${visible(label)}</bdi></span
        >`
      })}
    </div>
  `
}

/** The sums of the rows, beside them. */
export const sumStrip = (sums: ArrayLike<number>, stage: StageName) => html`
  <div class="corner sums" aria-hidden="true">${words.rowSum}</div>
  <div class="labels sums" aria-hidden="true">
    ${Array.from(sums, (sum, row) => html`<span ${paint('--at', String(row))}>${digits(sum, stage)}</span>`)}
  </div>
`
