// The tables of the card: a sum term by term, each with what it is made of and the sum so far.

import { css, html, type TemplateResult } from 'lit'
import type { CellRecord } from '../engine/index.ts'
import { bracketed, exact } from './format.ts'
import type { StageCell } from './model/chain.ts'
import type { Scene } from './model/scene.ts'
import { hidersOf, kindOf, labelsOf } from './stage-look.ts'
import { visible } from './tokens.ts'
import { matrixWords, stateWords, labWords as words } from './words.ts'

type Terms = NonNullable<CellRecord['terms']>
type Pair = NonNullable<CellRecord['pair']>

/** The cell whose sum it is. */
interface Summed {
  readonly scene: Scene
  readonly cell: StageCell
  readonly sequence: number
}

/** So many terms are seen without scrolling. */
const mostTerms = 9

/** A sum of products. */
export function termTable({ left, right, leftValues, rightValues, products, sums, counted }: Terms, of: Summed) {
  const labels = termLabels(left, of)
  const rows = Array.from(products, (product, index) => {
    const label = labels[index]
    if (counted[index] === 0) {
      const pair = left.index.with(left.axis, (left.index[left.axis] as number) + index)
      const hiders = hidersOf(of.scene, pair)
      const why = hiders.length > 0 ? matrixWords.hidden(hiders) : words.noScore
      return html`<tr class="uncounted"><td><bdi>${label}</bdi></td><td colspan="4">${why}</td></tr>`
    }
    return html`
      <tr>
        <td><bdi>${label}</bdi></td>
        <td class=${kindOf(left.stage)}>${exact(leftValues[index] as number)}</td>
        <td class=${kindOf(right.stage)}>${exact(rightValues[index] as number)}</td>
        <td>${exact(product)}</td>
        <td class="soft">${exact(sums[index] as number)}</td>
      </tr>
    `
  })
  return sumTable(words.terms, [words.stageTitles[left.stage], `× ${stateWords.stageNames[right.stage]}`, '='], rows)
}

function termLabels({ stage, index, axis, count }: Terms['left'], { scene, sequence }: Summed): string[] {
  const name = scene.stages.get(stage)?.axes[axis]
  const first = index[axis] as number
  if (!name) return Array.from({ length: count }, (_, term) => String(term))
  return labelsOf(name, first + count, scene, sequence)
    .slice(first)
    .map(visible)
}

/** The sum of a row's exponentials, key by key. */
export function exponentialTable({ exponentials, exponentialSums, rowMax }: Pair, { scene, cell, sequence }: Summed) {
  const labels = labelsOf('S', exponentials.length, scene, sequence)
  const rows = Array.from(exponentials, (exponential, key) => {
    const label = html`<td><bdi>${visible(labels[key] ?? '')}</bdi></td>`
    const hiders = hidersOf(scene, [sequence, cell.head, cell.row, key])
    if (hiders.length > 0) {
      return html`<tr class="uncounted">${label}<td colspan="2">${matrixWords.hidden(hiders)}</td></tr>`
    }
    return html`
      <tr class=${key === cell.column ? 'here' : ''}>
        ${label}
        <td>${exact(exponential)}</td>
        <td class="soft">${exact(exponentialSums[key] as number)}</td>
      </tr>
    `
  })
  return sumTable(words.rowSum, [`exp(${words.stageTitles.masked} − ${bracketed(rowMax)})`], rows)
}

/** What each term was made of under `heads`, and the sum so far. */
const sumTable = (name: string, heads: readonly string[], rows: readonly TemplateResult[]) => html`
  <div class=${rows.length > mostTerms ? 'scroll many' : 'scroll'} tabindex="0" role="region" aria-label=${name}>
    <table>
      <thead>
        <tr>
          <td></td>
          ${[...heads, words.soFar].map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>${rows}</tbody>
    </table>
  </div>
`

/** For a shadow root that shows such tables. */
export const sumTableStyles = css`
  .scroll {
    max-height: 15rem;
    margin-top: var(--space-3);
    overflow: auto;
    overscroll-behavior: contain;
  }
  @media print {
    .scroll {
      max-height: none;
    }
  }
  table {
    width: 100%;
  }
  th {
    position: sticky;
    top: 0;
    padding: 0 0.375rem 2px 0;
    font-size: var(--text-small);
    font-weight: 400;
    text-align: end;
    color: var(--ink-soft);
    background: var(--sunken);
  }
  td {
    padding: 1px 0.375rem 1px 0;
    text-align: end;
    white-space: nowrap;
  }
  th:last-child,
  td:last-child {
    padding-inline-end: 0;
  }
  th:first-child,
  td:first-child {
    max-width: 7rem;
    overflow: hidden;
    text-align: start;
    text-overflow: ellipsis;
  }
  /* Small weights are written with an exponent, and all five columns are to be seen. */
  .many td {
    font-size: var(--text-small);
  }
  .many th:first-child,
  .many td:first-child {
    max-width: 4.5rem;
  }
  tr.uncounted td {
    color: var(--ink-soft);
    vertical-align: baseline;
  }
  /* Several rules can hide a key. */
  tr.uncounted td + td {
    font-size: var(--text-small);
    text-align: start;
    white-space: normal;
  }
  tr.here {
    font-weight: 600;
  }
`
