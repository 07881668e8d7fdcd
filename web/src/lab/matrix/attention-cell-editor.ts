// <attention-cell-editor>: a cell's number as a text that can be changed. What is no
// number is refused in words, or dropped when the person has gone on.

import { css, html, LitElement, nothing } from 'lit'
import { base } from '../theme.ts'
import { matrixWords as words } from '../words.ts'
import { parseNumber, type Refusal, shortest } from './format.ts'

export interface DoneDetail {
  /** The new number; undefined where the old one stays. */
  readonly value: number | undefined
  /** Whether the person is still at the cell, and has not gone elsewhere. */
  readonly stays: boolean
}

/** @fires {CustomEvent<DoneDetail>} done - The editor is not needed any more. */
export class AttentionCellEditor extends LitElement {
  static override properties = {
    label: { attribute: false },
    value: { attribute: false },
    late: { type: Boolean, reflect: true },
    refusal: { state: true },
  }
  /** Where the cell is, in words. */
  declare label: string
  declare value: number
  /** Whether the cell is in the right half, so that what is said stands to its left. */
  declare late: boolean
  declare refusal: Refusal | undefined
  /** A removed input loses the focus, which says nothing any more. */
  #done = false

  static override styles = [
    base,
    css`
      input {
        width: 100%;
        height: max(var(--cell-y), 1.75rem);
        padding: 0 4px;
        font: inherit;
        font-size: max(var(--text), 1em);
        text-align: center;
        color: var(--ink);
        background: var(--surface);
        border: 2px solid var(--attention);
        border-radius: 4px;
      }
      input[aria-invalid='true'] {
        border-color: var(--key);
      }
      p {
        position: absolute;
        left: 0;
        width: 13rem;
        margin-top: 4px;
        padding: var(--space-1) var(--space-2);
        color: var(--key);
        background: var(--surface);
        border: 1px solid var(--key);
        border-radius: 4px;
      }
      :host([late]) p {
        right: 0;
        left: auto;
      }
    `,
  ]

  override render() {
    return html`
      <input
        type="text"
        inputmode="decimal"
        autocomplete="off"
        spellcheck="false"
        aria-label=${this.label}
        aria-invalid=${this.refusal ? 'true' : 'false'}
        aria-describedby=${this.refusal ? 'refusal' : nothing}
        .value=${shortest(this.value)}
        @keydown=${this.#key}
        @blur=${() => this.#leave()}
      />
      ${this.refusal ? html`<p id="refusal" role="alert">${words.refusals[this.refusal]}</p>` : nothing}
    `
  }

  get #input() {
    return this.renderRoot.querySelector('input') as HTMLInputElement
  }

  protected override firstUpdated() {
    this.#input.focus()
    this.#input.select()
  }

  #key(event: KeyboardEvent) {
    event.stopPropagation()
    if (event.key === 'Enter') this.#enter()
    else if (event.key === 'Escape') this.#finish({ value: undefined, stays: true })
    else return
    event.preventDefault()
  }

  #enter() {
    const value = parseNumber(this.#input.value)
    if (typeof value === 'number') this.#finish({ value, stays: true })
    else this.refusal = value
  }

  #leave() {
    const value = parseNumber(this.#input.value)
    this.#finish({ value: typeof value === 'number' ? value : undefined, stays: false })
  }

  #finish(detail: DoneDetail) {
    if (this.#done) return
    this.#done = true
    this.dispatchEvent(new CustomEvent('done', { detail }))
  }
}
