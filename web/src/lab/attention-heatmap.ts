// One head's weights as a table: a row asks (query), a column is read (key).
// It is a grid for the keyboard too: one cell takes part in the tab order, the
// arrow keys move on from there.

import { css, html, LitElement, nothing } from 'lit'
import type { Fit } from './fit.ts'
import { weight } from './format.ts'
import { paint } from './paint.ts'
import { base, markOf, marks } from './theme.ts'
import { visible } from './tokens.ts'
import { words } from './words.ts'

export interface At {
  readonly query: number
  readonly key: number
}

/** The weights of a head, [T, S], and the rules that hide its cells, as bits. */
export interface HeadWeights {
  readonly weights: Float32Array
  readonly hiddenBy: Uint8Array
}

/** From this weight on digits take the other colour; at it both are 4.5:1 in both themes. */
const dark = 0.66

const steps: Record<string, (at: At, last: number, control: boolean) => At> = {
  ArrowLeft: ({ query, key }) => ({ query, key: key - 1 }),
  ArrowRight: ({ query, key }) => ({ query, key: key + 1 }),
  ArrowUp: ({ query, key }) => ({ query: query - 1, key }),
  ArrowDown: ({ query, key }) => ({ query: query + 1, key }),
  Home: ({ query }, _, control) => ({ query: control ? 0 : query, key: 0 }),
  End: ({ query }, last, control) => ({ query: control ? last : query, key: last }),
}

/**
 * Fires `point` with the cell under the mouse (null when it has left), and `pick`
 * with a cell that is clicked, tapped or reached by the keyboard.
 */
export class AttentionHeatmap extends LitElement {
  static override properties = {
    tokens: { attribute: false },
    values: { attribute: false },
    reasonsOf: { attribute: false },
    size: { attribute: false },
    picked: { attribute: false },
    shown: { attribute: false },
    name: { attribute: false },
  }
  declare tokens: readonly string[]
  /** Nothing while the core is being loaded. */
  declare values: HeadWeights | undefined
  declare reasonsOf: (bits: number) => readonly string[]
  declare size: Fit
  /** The cell that the keyboard stands on. */
  declare picked: At
  /** The cell that the card explains, if it is in this head. */
  declare shown: At | undefined
  declare name: string

  static override styles = [
    base,
    css`
      table {
        --gap: 2px;
        table-layout: fixed;
        font-size: var(--text-small);
        line-height: 1;
      }
      table.small {
        --gap: 1px;
      }
      th,
      td {
        padding: 0 var(--gap) var(--gap) 0;
        font-weight: 400;
      }
      th span {
        display: block;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        line-height: 1.4;
        border-radius: 3px;
      }
      th[scope='row'],
      .corner {
        width: var(--label);
        max-width: var(--label);
      }
      th[scope='row'] span {
        padding: 2px 4px;
        text-align: end;
      }
      .small th[scope='row'] span {
        padding-block: 0;
        max-height: var(--cell);
        font-size: min(var(--text-small), calc(var(--cell) - 3px));
        line-height: calc(var(--cell) - 1px);
      }
      th[scope='col'] {
        width: var(--cell);
        max-width: var(--cell);
        height: 40px;
        vertical-align: bottom;
      }
      th[scope='col'] span {
        padding: 2px 1px;
      }
      .upright th[scope='col'] {
        height: 76px;
      }
      .upright th[scope='col'] span {
        max-height: 72px;
        margin: 0 auto;
        padding: 4px 0;
        writing-mode: vertical-rl;
        text-orientation: sideways;
        transform: rotate(180deg);
        line-height: min(1.4em, calc(var(--cell) - 1px));
        font-size: min(var(--text-small), calc(var(--cell) - 2px));
      }
      .corner {
        position: relative;
        font-size: 0.6875rem;
      }
      .corner div {
        display: flex;
        flex-direction: column;
        align-items: flex-end;
        justify-content: flex-end;
        gap: 4px;
        padding: 0 6px 4px 0;
        color: var(--ink-soft);
      }
      th[scope='row'].at span {
        color: var(--query);
        background: var(--query-tint);
      }
      th[scope='col'].at span {
        color: var(--key);
        background: var(--key-tint);
      }

      td {
        cursor: default;
        outline: none;
      }
      /* Of one size whatever it holds, so that a new number lays out nothing else. */
      .cell {
        contain: strict;
        width: calc(var(--cell) - var(--gap));
        height: calc(var(--cell) - var(--gap));
        line-height: calc(var(--cell) - var(--gap));
        text-align: center;
        /* What is not to be seen stays there for screen readers, outside the box. */
        text-indent: 200%;
        white-space: nowrap;
        border-radius: 4px;
        color: var(--on-weight-low);
        background: color-mix(in oklab, var(--weight-1) calc(var(--weight, 0) * 100%), var(--weight-0));
        box-shadow: inset 0 0 0 1px var(--edge);
        forced-color-adjust: none;
      }
      .digits td:not(.hidden) .cell {
        text-indent: 0;
      }
      .small .cell {
        border-radius: 1px;
      }
      .dark .cell {
        color: var(--on-weight-high);
      }
      .tight .cell {
        font-size: 0.6875rem;
      }
      .tiny .cell {
        font-size: 0.625rem;
      }
      .waiting .cell {
        background: var(--hidden);
      }
      .hidden .cell {
        box-shadow: none;
      }
      .odd .cell {
        color: var(--not-a-number);
        background: var(--surface);
        box-shadow: inset 0 0 0 2px var(--not-a-number);
      }
      td.shown .cell {
        outline: 2px solid var(--ink);
        outline-offset: -1px;
      }
      td:focus-visible .cell {
        outline: 3px solid var(--ink);
        outline-offset: -1px;
      }
      @media (prefers-reduced-motion: no-preference) {
        table:not(.small) .cell {
          transition: background-color 120ms ease-out;
        }
      }
    `,
    marks,
  ]

  override render() {
    const { cell, label, digits, upright } = this.size
    const size = cell < 28 ? ' small' : cell < 36 ? ' tiny' : cell < 44 ? ' tight' : ''
    return html`
      <table
        role="grid"
        aria-label=${this.name}
        class=${`${upright ? 'upright' : ''}${digits ? ' digits' : ''}${size}`}
        ${paint('--cell', `${cell}px`)}
        ${paint('--label', `${label}px`)}
        @pointerover=${this.#point}
        @pointerleave=${this.#leave}
        @click=${this.#click}
        @focusin=${this.#focus}
        @keydown=${this.#move}
      >
        <thead>
          <tr>
            <td class="corner">
              <div aria-hidden="true">
                <span><span class="key">${words.keyAxis}</span> →</span>
                <span><span class="query">${words.queryAxis}</span> ↓</span>
              </div>
            </td>
            ${this.tokens.map((token, key) => this.#header(token, 'col', key === this.shown?.key))}
          </tr>
        </thead>
        <tbody>
          ${this.tokens.map(
            (token, query) => html`
              <tr>
                ${this.#header(token, 'row', query === this.shown?.query)}
                ${this.tokens.map((_, key) => this.#cell({ query, key }))}
              </tr>
            `,
          )}
        </tbody>
      </table>
    `
  }

  #header(token: string, scope: 'row' | 'col', at: boolean) {
    return html`<th scope=${scope} class=${at ? 'at' : ''} title=${token}><span><bdi>${visible(token)}</bdi></span></th>`
  }

  #cell(at: At) {
    const index = at.query * this.tokens.length + at.key
    const value = this.values?.weights[index]
    const reasons = this.reasonsOf(this.values?.hiddenBy[index] ?? 0)
    const picked = same(at, this.picked)
    const kind = [
      value === undefined ? 'waiting' : '',
      reasons.length > 0 ? 'hidden' : Number.isNaN(value) ? 'odd' : (value ?? 0) >= dark ? 'dark' : '',
      same(at, this.shown) ? 'shown' : '',
    ].join(' ')
    const text = reasons.length > 0 ? words.hiddenCell(reasons) : value === undefined ? nothing : weight(value)
    return html`
      <td class=${kind} tabindex=${picked ? 0 : -1} aria-selected=${picked ? 'true' : nothing}>
        <div class=${`cell ${markOf(reasons)}`} ${paint('--weight', String(value || 0))}>${text}</div>
      </td>
    `
  }

  #td({ query, key }: At) {
    return this.renderRoot.querySelector('tbody')?.rows[query]?.cells[key + 1]
  }

  #at(event: Event): At | undefined {
    const td = (event.target as Element).closest<HTMLTableCellElement>('tbody td')
    return td ? { query: (td.parentElement as HTMLTableRowElement).rowIndex - 1, key: td.cellIndex - 1 } : undefined
  }

  #fire(type: 'point' | 'pick', detail: At | undefined) {
    this.dispatchEvent(new CustomEvent<At | undefined>(type, { detail }))
  }

  #point(event: PointerEvent) {
    // A finger that scrolls must not change the card; a tap is a click.
    if (event.pointerType !== 'touch') this.#fire('point', this.#at(event))
  }

  #leave() {
    this.#fire('point', undefined)
  }

  #click(event: MouseEvent) {
    const at = this.#at(event)
    if (at) this.#td(at)?.focus()
  }

  #focus(event: FocusEvent) {
    const at = this.#at(event)
    if (at) this.#fire('pick', at)
  }

  #move(event: KeyboardEvent) {
    const at = this.#at(event)
    const step = steps[event.key]
    if (!at || !step || event.altKey || event.metaKey) return
    const to = this.#td(step(at, this.tokens.length - 1, event.ctrlKey))
    event.preventDefault()
    to?.focus()
  }
}

const same = (a: At, b: At | undefined) => a.query === b?.query && a.key === b.key
