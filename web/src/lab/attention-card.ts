// The card: how one weight comes about, with its real numbers. Inputs stand in
// it as factors; every sum, maximum, exponential sum and weight is the trace's.

import { css, html, LitElement, nothing } from 'lit'
import { exact, input, scale, weight } from './format.ts'
import { base } from './theme.ts'
import { visible } from './tokens.ts'
import { type Cell, type CellRecord, type Factor, factors, recordOf, type View } from './view.ts'
import { words } from './words.ts'

export class AttentionCard extends LitElement {
  static override properties = { view: { attribute: false }, cell: { attribute: false } }
  declare view: View
  declare cell: Cell

  static override styles = [
    base,
    css`
      section {
        font-size: var(--text);
        line-height: 1.5;
      }
      h2 {
        max-height: 4.5em;
        overflow: auto;
        font-size: var(--text-large);
        line-height: 1.4;
        overflow-wrap: anywhere;
      }
      .where {
        font-size: var(--text-small);
      }
      .steps {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr) max-content;
        align-items: baseline;
        gap: var(--space-2) var(--space-3);
        margin: var(--space-3) 0;
        font-variant-numeric: tabular-nums;
      }
      dt {
        color: var(--ink-soft);
      }
      .work {
        display: flex;
        flex-wrap: wrap;
        gap: 0 var(--space-1);
      }
      .term {
        white-space: nowrap;
      }
      .result {
        align-self: last baseline;
        text-align: end;
        font-weight: 600;
      }
      .weight.result {
        font-size: 1.25rem;
        line-height: 1.2;
      }
      .note {
        min-height: calc(3em + var(--space-3));
        font-size: var(--text-small);
        color: var(--ink-soft);
        overflow-wrap: anywhere;
      }
      .made-up {
        font-style: italic;
      }
      h3 {
        padding-top: var(--space-3);
        border-top: 1px solid var(--line);
      }
      table {
        width: 100%;
      }
      .scroll {
        position: relative;
        max-height: 13.5rem;
        overflow: auto;
        margin-top: var(--space-1);
      }
      th,
      td {
        padding: 1px 0 1px var(--space-3);
        text-align: end;
        font-weight: 400;
        white-space: nowrap;
      }
      th[scope='row'] {
        position: sticky;
        inset-inline-start: 0;
        max-width: 6.5rem;
        padding: 1px var(--space-2) 1px 0;
        overflow: hidden;
        text-align: start;
        text-overflow: ellipsis;
        background: var(--surface);
      }
      .at th,
      .at td {
        font-weight: 600;
      }
      tfoot th,
      tfoot td {
        position: sticky;
        bottom: 0;
        border-top: 1px solid var(--line);
        font-weight: 600;
        background: var(--surface);
      }
    `,
  ]

  protected override updated() {
    // Keeps the cell's own line in sight where the list of keys is longer than its box.
    const box = this.renderRoot.querySelector('.scroll')
    const line = box?.querySelector<HTMLElement>('.at')
    if (!box || !line) return
    const last = line.offsetTop + 2 * line.offsetHeight + 4 - box.clientHeight
    box.scrollTop = Math.max(Math.min(box.scrollTop, line.offsetTop), last)
  }

  override render() {
    const record = recordOf(this.view, this.cell)
    if (!record) return html`<section><p class="soft">${words.cardEmpty}</p></section>`
    const { tokens, headDim, queryHeads } = this.view.settings
    const queries = factors(record.query, this.cell.head, headDim)
    const keys = factors(record.key, record.kvHead, headDim)
    const hidden = record.hiddenBy.length > 0
    return html`
      <section aria-labelledby="title">
        <h2 id="title">
          <bdi class="query">${visible(record.query)}</bdi>${words.attendsTo}<bdi class="key">${visible(record.key)}</bdi>
        </h2>
        <p class="where soft">
          ${queryHeads > 1 ? `${words.queryHead(this.cell.head)}, ${words.kvHead(record.kvHead)}; ` : nothing}${words.cardSubtitle(record)}
        </p>
        <dl class="steps">
          <dt>${words.stepDot}</dt>
          <dd class="work">${this.#product(queries, keys)}</dd>
          <dd class="result">${exact(record.dot)}</dd>
          <dt>${words.stepScale}</dt>
          <dd>${exact(record.dot)} × ${scale(record.scale)}</dd>
          <dd class="result">${exact(record.score)}</dd>
          <dt>${words.stepMask}</dt>
          <dd>${hidden ? words.hidden : words.visible}</dd>
          <dd class="result">${exact(record.masked)}</dd>
          <dt>${words.stepSoftmax}</dt>
          <dd class="work">
            <span class="term">exp(${exact(record.masked)} − ${bracketed(record.rowMax)})</span>
            <span class="term">÷ ${exact(record.rowSum)}</span>
          </dd>
          <dd class="weight result">${exact(record.weight)}</dd>
        </dl>
        <p class="note">
          ${
            hidden
              ? `${words.hiddenBy(record.hiddenBy, visible(record.key), this.view.settings)} ${words.hiddenScore}`
              : words.softmaxParts({ max: exact(record.rowMax), sum: exact(record.rowSum) })
          }
        </p>
        ${this.#output(record, tokens, headDim)}
      </section>
    `
  }

  /** The dot product, term by term; its terms are left as the factors they are. */
  #product(queries: readonly Factor[], keys: readonly Factor[]) {
    return queries.map((query, index) => {
      const key = keys[index] as Factor
      return html`
        <span class="term">
          ${index > 0 ? '+ ' : nothing}${this.#factor(query, 'query', index > 0)} × ${this.#factor(key, 'key', true)}
        </span>
      `
    })
  }

  #factor({ value, madeUp }: Factor, kind: string, inside: boolean) {
    const text = inside ? bracketed(value, input) : input(value)
    return html`<span class=${madeUp ? `${kind} made-up` : kind} title=${madeUp ? words.madeUp : nothing}>${text}</span>`
  }

  #output(record: CellRecord, tokens: readonly string[], headDim: number) {
    return html`
      <h3 id="output">${words.outputOf}</h3>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="output">
        <table aria-labelledby="output">
          <tbody>
            ${tokens.map(
              (token, key) => html`
                <tr class=${key === this.cell.key ? 'at' : ''}>
                  <th scope="row" title=${token}><bdi>${visible(token)}</bdi></th>
                  ${this.#share(token, record.row[key], record.kvHead, headDim)}
                </tr>
              `,
            )}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">${words.outputRow}</th>
              <td></td>
              ${record.output.map((value) => html`<td>${exact(value)}</td>`)}
            </tr>
          </tfoot>
        </table>
      </div>
    `
  }

  /** What one key gives to the output: nothing that is hidden is ever read. */
  #share(token: string, share: number | undefined, kvHead: number, headDim: number) {
    if (share === undefined) return html`<td class="soft">${words.hidden}</td><td colspan=${headDim}></td>`
    return html`
      <td class="weight">${weight(share)} ×</td>
      ${factors(token, kvHead, headDim).map(
        ({ value, madeUp }) =>
          html`<td class="value"><span class=${madeUp ? 'made-up' : ''}>${input(value)}</span></td>`,
      )}
    `
  }
}

/** A number that follows an operator: a negative one is put in brackets. */
function bracketed(value: number, text = exact): string {
  return value < 0 ? `(${text(value)})` : text(value)
}
