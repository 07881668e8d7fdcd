// The controls, drawn from the state table.

import { css, html, LitElement, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import {
  type ChoiceName,
  type CountName,
  countOf,
  fields,
  type Name,
  permitted,
  type State,
  settingsOf,
} from './state.ts'
import { base } from './theme.ts'
import { isMadeUp } from './vectors.ts'
import { words } from './words.ts'

export interface ChangeDetail {
  readonly name: Name
  readonly value: string | number
}

/** Fires `setting` with a ChangeDetail; whoever holds the state decides what comes of it. */
export class AttentionControls extends LitElement {
  static override properties = { state: { attribute: false } }
  declare state: State

  static override styles = [
    base,
    css`
      .panel {
        display: grid;
        grid-template-columns: repeat(2, minmax(0, 1fr));
        gap: var(--space-3) var(--space-4);
      }
      .sentence,
      .mask {
        grid-column: 1 / -1;
      }
      label,
      legend {
        display: flex;
        justify-content: space-between;
        gap: var(--space-2);
        padding: 0;
        font-size: var(--text-small);
        color: var(--ink-soft);
        line-height: 1.5;
      }
      .number {
        color: var(--ink);
        font-weight: 600;
        font-variant-numeric: tabular-nums;
      }
      input[type='text'] {
        display: block;
        width: 100%;
        margin-top: var(--space-1);
        padding: var(--space-2) var(--space-3);
        font: inherit;
        font-size: var(--text-large);
        color: var(--ink);
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: var(--radius);
      }
      .origin {
        margin-top: var(--space-1);
        min-height: 3em;
        font-size: var(--text-small);
        line-height: 1.5;
      }
      input[type='range'] {
        display: block;
        width: 100%;
        height: 24px;
        margin: 2px 0;
        accent-color: var(--attention);
      }
      input[type='range']:focus-visible {
        outline-offset: 0;
        border-radius: var(--radius);
      }
      .options {
        display: flex;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--sunken);
      }
      .option {
        position: relative;
        flex: 1 1 auto;
        justify-content: center;
        padding: 0 var(--space-2);
        line-height: 26px;
        color: var(--ink);
        border-radius: calc(var(--radius) - 1px);
        cursor: pointer;
      }
      .option input {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
        margin: 0;
        opacity: 0;
        cursor: inherit;
      }
      .option:has(:checked) {
        color: var(--surface);
        background: var(--attention);
        font-weight: 600;
      }
      .option:has(:focus-visible) {
        outline: 2px solid var(--attention);
        outline-offset: 2px;
      }
      .says {
        margin-top: var(--space-1);
        font-size: var(--text-small);
        line-height: 1.5;
      }
      /* The room of a slider, whether this mask has one or not. */
      .amount {
        min-height: calc(1.5 * var(--text-small) + 28px);
      }
      @container widget (min-width: 640px) {
        .panel {
          grid-template-columns: repeat(12, minmax(0, 1fr));
          gap: var(--space-3) var(--space-5);
        }
        .origin {
          min-height: 1.5em;
        }
        .count {
          grid-column: span 3;
        }
        .mask {
          grid-column: span 6;
        }
        .amount {
          grid-column: span 3;
        }
        .scale {
          grid-column: span 3;
        }
      }
      @container widget (min-width: 1080px) {
        .panel {
          grid-template-columns: repeat(4, minmax(0, 1fr)) minmax(19rem, 2.2fr) 8rem minmax(0, 1.2fr);
        }
        .count,
        .mask,
        .amount,
        .scale {
          grid-column: auto;
        }
      }
    `,
  ]

  override render() {
    const { mask } = this.state
    return html`
      <div class="panel">
        ${this.#sentence()}
        <div class="count">${this.#count('tokens')}</div>
        <div class="count">${this.#count('queryHeads')}</div>
        <div class="count">${this.#count('kvHeads')}</div>
        <div class="count">${this.#count('headDim')}</div>
        <div class="mask">
          ${this.#choice('mask')}
          <p class="says soft">${words.maskSays(settingsOf(this.state))}</p>
        </div>
        <div class="scale">${this.#choice('scale')}</div>
        <div class="amount">${mask === 'window' || mask === 'prefix' ? this.#count(mask) : nothing}</div>
      </div>
    `
  }

  #sentence() {
    const { tokens, typed, queryHeads, headDim } = settingsOf(this.state)
    const used = tokens.length
    const madeUpWords = tokens.filter((token) => isMadeUp(token, 0)).length
    const madeUpFeatures = queryHeads * headDim > 3
    return html`
      <div class="sentence">
        <label for="sentence">${fields.sentence.label}</label>
        <input
          id="sentence"
          type="text"
          autocomplete="off"
          spellcheck="false"
          aria-describedby="origin"
          .value=${live(this.state.sentence)}
          @input=${(event: InputEvent) => this.#change('sentence', (event.target as HTMLInputElement).value)}
        />
        <p id="origin" class="origin soft">${words.origin({ used, typed, madeUpWords, madeUpFeatures })}</p>
      </div>
    `
  }

  /** A slider. Where the permitted counts have gaps it runs over their list instead. */
  #count(name: CountName) {
    const counts = permitted(name, this.state)
    const count = countOf(name, this.state)
    const [first = count, last = count] = [counts[0], counts.at(-1)]
    const listed = last - first !== counts.length - 1
    return html`
      <label for=${name}>${fields[name].label}<span class="number" aria-hidden="true">${count}</span></label>
      <input
        id=${name}
        type="range"
        step="1"
        min=${listed ? 0 : first}
        max=${listed ? counts.length - 1 : last}
        .value=${live(String(listed ? counts.indexOf(count) : count))}
        aria-valuetext=${count}
        ?disabled=${counts.length < 2}
        @input=${(event: InputEvent) => {
          const position = Number((event.target as HTMLInputElement).value)
          this.#change(name, listed ? (counts[position] as number) : position)
        }}
      />
    `
  }

  #choice(name: ChoiceName) {
    const { label, options } = fields[name]
    return html`
      <fieldset>
        <legend>${label}</legend>
        <div class="options">
          ${Object.entries(options).map(
            ([option, text]) => html`
              <label class="option">
                <input
                  type="radio"
                  name=${name}
                  value=${option}
                  .checked=${live(this.state[name] === option)}
                  @change=${() => this.#change(name, option)}
                />${text}
              </label>
            `,
          )}
        </div>
      </fieldset>
    `
  }

  #change(name: Name, value: string | number) {
    this.dispatchEvent(new CustomEvent<ChangeDetail>('setting', { detail: { name, value } }))
  }
}
