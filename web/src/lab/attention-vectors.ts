// The tokens' vectors: what goes into the computation. The features that the
// shown cell is made from are lit.

import { css, html, LitElement, nothing } from 'lit'
import { input } from './format.ts'
import { base } from './theme.ts'
import { visible } from './tokens.ts'
import { isMadeUp } from './vectors.ts'
import { type Cell, factors, kvHeadOf, type View } from './view.ts'
import { words } from './words.ts'

export class AttentionVectors extends LitElement {
  static override properties = { view: { attribute: false }, cell: { attribute: false } }
  declare view: View
  declare cell: Cell

  static override styles = [
    base,
    css`
      h2 {
        font-size: var(--text);
        line-height: 1.4;
      }
      p {
        font-size: var(--text-small);
        line-height: 1.5;
      }
      .scroll {
        overflow-x: auto;
        margin-top: var(--space-2);
        font-size: var(--text-small);
        line-height: 1.4;
      }
      th,
      td {
        padding: 2px var(--space-1);
        font-weight: 400;
        text-align: end;
        white-space: nowrap;
      }
      th[scope='row'] {
        position: sticky;
        inset-inline-start: 0;
        max-width: 6rem;
        padding-inline-end: var(--space-2);
        overflow: hidden;
        text-align: start;
        text-overflow: ellipsis;
        background: var(--surface);
      }
      th[scope='colgroup'] {
        text-align: start;
      }
      .first {
        padding-inline-start: var(--space-3);
      }
      .made-up {
        font-style: italic;
      }
      td:not(.query, .key) .made-up {
        color: var(--ink-soft);
      }
      td.query {
        background: var(--query-tint);
      }
      td.key {
        background: var(--key-tint);
      }
      td.query.key {
        color: var(--ink);
        background: linear-gradient(to bottom right, var(--query-tint) 50%, var(--key-tint) 50%);
      }
    `,
  ]

  override render() {
    const { settings } = this.view
    const { tokens, queryHeads, kvHeads, headDim } = settings
    const heads = Array.from({ length: queryHeads }, (_, head) => head)
    const kvHead = kvHeadOf(this.cell.head, this.view)
    const anyMadeUp = tokens.some((token) => isMadeUp(token, queryHeads * headDim - 1))
    return html`
      <section aria-labelledby="title">
        <h2 id="title">${words.vectors}</h2>
        <p class="soft">${words.vectorsSay(kvHeads < queryHeads)}${anyMadeUp ? ` ${words.vectorsMadeUp}` : nothing}</p>
        <div class="scroll" tabindex="0" role="region" aria-labelledby="title">
          <table aria-labelledby="title">
            <thead>
              <tr>
                <th scope="col"><span class="unseen">${words.vectorsToken}</span></th>
                ${heads.map((head) => html`<th scope="colgroup" class="first" colspan=${headDim}>${this.#roles(head, head < kvHeads)}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${tokens.map(
                (token, row) => html`
                  <tr>
                    <th scope="row" title=${token}><bdi>${visible(token)}</bdi></th>
                    ${heads.map((head) => {
                      const query = row === this.cell.query && head === this.cell.head
                      const key = row === this.cell.key && head === kvHead
                      return this.#features(token, head, `${query ? ' query' : ''}${key ? ' key' : ''}`)
                    })}
                  </tr>
                `,
              )}
            </tbody>
          </table>
        </div>
      </section>
    `
  }

  /** A head's name and what its features serve as. */
  #roles(head: number, shared: boolean) {
    const { queryHeads } = this.view.settings
    return html`
      ${queryHeads > 1 ? `${words.vectorsHead(head)}: ` : ''}<span class="query">q</span>
      ${shared ? html`<span class="key">k</span> <span class="value">v</span>` : ''}
    `
  }

  #features(token: string, head: number, lit: string) {
    return factors(token, head, this.view.settings.headDim).map(
      ({ value, madeUp }, index) => html`
        <td class=${`${index === 0 ? 'first' : ''}${lit}`}>
          <span class=${madeUp ? 'made-up' : ''}>${input(value)}</span>
        </td>
      `,
    )
  }
}
