// <attention-field>: one field of the state with its label, as a slider with a number,
// a choice, a switch or a text, by the table's word for it. What cannot be a value is
// refused beside it in words; the state then stays as it was.

import { css, html, LitElement, nothing, type PropertyValues } from 'lit'
import { live } from 'lit/directives/live.js'
import type { Field } from './model/field.ts'
import { fromText } from './model/link.ts'
import { placesOf } from './model/positions.ts'
import { countOf, permitted, settingsOf } from './model/settings.ts'
import { agree, type CountName, fields, type Name, type NumberName, type State, written } from './model/state.ts'
import { base } from './theme.ts'
import { fieldWords, labWords as words } from './words.ts'

export interface SettingDetail {
  readonly name: Name
  readonly value: unknown
}

/** A slider goes no further; larger counts are typed. */
const longestSlider = 64

const labelOf = (name: Name) => fields[name].label

/** @fires {CustomEvent<SettingDetail>} setting - A value that the field can hold. Bubbles and is composed. */
export class AttentionField extends LitElement {
  static override properties = {
    name: {},
    state: { attribute: false },
    refusal: { state: true },
    draft: { state: true },
  }
  declare name: Name
  declare state: State
  declare refusal: string | undefined
  /** A text as it is being typed: half a list is no list yet, and is neither taken nor refused. */
  declare draft: string | undefined

  static override styles = [
    base,
    css`
      :host {
        font-size: var(--text-small);
      }
      label,
      legend {
        display: flex;
        align-items: baseline;
        justify-content: space-between;
        gap: var(--space-2);
        padding: 0;
        color: var(--ink-soft);
        line-height: 1.5;
      }
      .field {
        display: grid;
        grid-template-columns: minmax(0, 1fr) max-content;
        align-items: center;
        column-gap: var(--space-2);
      }
      .field > label {
        min-width: 0;
      }
      input {
        font: inherit;
        color: var(--ink);
      }
      input[type='text'] {
        width: 100%;
        padding: var(--space-1) var(--space-2);
        font-size: var(--text);
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: var(--radius);
      }
      .field > input[type='text'] {
        width: 3.75rem;
        padding: 0 var(--space-1);
        text-align: end;
        font-weight: 600;
        font-variant-numeric: tabular-nums;
        border-color: transparent;
        background: none;
      }
      .field > input[type='text']:hover,
      .field > input[type='text']:focus {
        border-color: var(--line);
        background: var(--surface);
      }
      input[type='range'] {
        grid-column: 1 / -1;
        display: block;
        width: 100%;
        height: 20px;
        margin: 0;
        accent-color: var(--attention);
      }
      input[type='checkbox'] {
        width: 1rem;
        height: 1rem;
        margin: 0;
        accent-color: var(--attention);
      }
      .switch {
        justify-content: start;
        align-items: center;
        min-height: 24px;
        color: var(--ink);
        cursor: pointer;
      }
      .options {
        display: flex;
        flex-wrap: wrap;
        margin-top: 2px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--sunken);
      }
      .option {
        position: relative;
        flex: 1 1 auto;
        justify-content: center;
        padding: 0 var(--space-2);
        line-height: 24px;
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
      @media (forced-colors: active) {
        .option:has(:checked) {
          outline: 2px solid Highlight;
          outline-offset: -2px;
        }
      }
      .option:has(:focus-visible) {
        outline: 2px solid var(--attention);
        outline-offset: 2px;
      }
      .ends {
        grid-column: 1 / -1;
        font-size: 0.6875rem;
        line-height: 1.2;
        color: var(--ink-soft);
      }
      .refusal {
        grid-column: 1 / -1;
        color: var(--key);
        overflow-wrap: anywhere;
      }
    `,
  ]

  override render() {
    const field: Field = fields[this.name]
    switch (field.kind) {
      case 'flag':
        return this.#switch(field.label)
      case 'choice':
        return this.#choice(field.label, field.options)
      case 'count':
        return this.#count(this.name as CountName, field.label)
      case 'number':
        return this.#number(this.name as NumberName)
      default:
        return this.#text(field.label)
    }
  }

  #switch(label: string) {
    return html`
      <label class="switch">
        <input
          type="checkbox"
          .checked=${live(this.state[this.name] as boolean)}
          @change=${(event: Event) => this.#set((event.target as HTMLInputElement).checked)}
        />
        ${label}
      </label>
    `
  }

  #choice(label: string, options: Readonly<Record<string, string>>) {
    return html`
      <fieldset>
        <legend>${label}</legend>
        <div class="options">
          ${Object.entries(options).map(
            ([option, name]) => html`
              <label class="option">
                <input
                  type="radio"
                  name=${this.name}
                  value=${option}
                  .checked=${live(this.state[this.name] === option)}
                  @change=${() => this.#set(option)}
                />
                ${name}
              </label>
            `,
          )}
        </div>
      </fieldset>
    `
  }

  #count(name: CountName, label: string) {
    const counts = permitted(name, this.state)
    const value = countOf(name, this.state)
    const most = counts.at(-1) ?? value
    const short = counts.filter((count) => count <= Math.max(longestSlider, value))
    const index = short.indexOf(value)
    const ends = short.length < counts.length
    return html`
      <div class="field">
        <label for="slider">${label}</label>
        ${this.#numberInput(label, String(value), (text) => this.#typeCount(name, text))}
        <input
          id="slider"
          type="range"
          min="0"
          max=${Math.max(short.length - 1, 0)}
          step="1"
          aria-valuetext=${value}
          aria-describedby=${ends ? 'ends' : nothing}
          ?disabled=${counts.length < 2}
          .value=${live(String(index))}
          @input=${(event: Event) => this.#setCount(name, short[Number((event.target as HTMLInputElement).value)] as number, most)}
        />
        ${ends ? html`<p id="ends" class="ends">${words.sliderEnds(most)}</p>` : nothing}
        ${this.#refusal()}
      </div>
    `
  }

  /** Whoever puts a slider at its end where that is what it follows means it to follow on. */
  #setCount(name: CountName, value: number, most: number) {
    const follows = fields[name].start === undefined && value === countOf(name, { ...this.state, [name]: undefined })
    this.#set(follows && value <= most ? undefined : value)
  }

  #typeCount(name: CountName, text: string) {
    const counts = permitted(name, this.state)
    const { value, refusal } = this.#read(text)
    if (refusal !== undefined) this.refusal = refusal
    else if (typeof value === 'number' && !counts.includes(value)) {
      this.refusal = words.notPermitted(value, counts)
    } else if (typeof value === 'number') this.#setCount(name, value, counts.at(-1) ?? value)
  }

  #number(name: NumberName) {
    const { label, least, most, step } = fields[name]
    const value = this.state[name]
    return html`
      <div class="field">
        <label for="slider">${label}</label>
        ${this.#numberInput(label, String(value).replace('-', '−'), (text) => this.#type(text))}
        <input
          id="slider"
          type="range"
          min=${least}
          max=${most}
          step=${step}
          .value=${live(String(value))}
          @input=${(event: Event) => this.#set(Number((event.target as HTMLInputElement).value))}
        />
        ${this.#refusal()}
      </div>
    `
  }

  #numberInput(label: string, value: string, take: (text: string) => void) {
    return html`
      <input
        type="text"
        inputmode="decimal"
        autocomplete="off"
        aria-label=${words.typed(label)}
        aria-invalid=${this.refusal ? 'true' : 'false'}
        aria-describedby=${this.refusal ? 'refusal' : nothing}
        .value=${live(value)}
        @change=${(event: Event) => {
          take((event.target as HTMLInputElement).value)
          this.requestUpdate()
        }}
      />
    `
  }

  #text(label: string) {
    const value = this.#inUse()
    return html`
      <label for="text">${label}</label>
      <input
        id="text"
        type="text"
        autocomplete="off"
        spellcheck="false"
        aria-invalid=${this.refusal ? 'true' : 'false'}
        aria-describedby=${this.refusal ? 'refusal' : nothing}
        .value=${live(this.draft ?? value)}
        @input=${(event: Event) => this.#draftOf((event.target as HTMLInputElement).value)}
        @change=${(event: Event) => {
          this.draft = undefined
          this.#type((event.target as HTMLInputElement).value)
        }}
      />
      ${this.#refusal()}
    `
  }

  /** The text of the field's value, and of positions those that are in use: a row that is short goes on. */
  #inUse(): string {
    const { name, state } = this
    if (name !== 'queryPositions' && name !== 'keyPositions') return written(name, state)
    const [place] = placesOf(settingsOf(state))
    return written(name, { ...state, [name]: place?.[name] ?? [] })
  }

  #read(text: string) {
    return fromText(this.name, fields[this.name].kind === 'text' ? text : text.trim(), labelOf, fieldWords.kept)
  }

  #type(text: string) {
    const { value, refusal } = this.#read(text)
    if (refusal === undefined) this.#set(value)
    else this.refusal = refusal
  }

  #draftOf(text: string) {
    this.draft = text
    this.refusal = undefined
    const { value, refusal } = this.#read(text)
    if (refusal === undefined) this.#set(value)
  }

  /** There are twenty fields, and a change is most often another's; a count's range may depend on that, though. */
  protected override shouldUpdate(changed: PropertyValues<this>) {
    const before = changed.get('state') as State | undefined
    if (!before || changed.size > 1 || this.refusal || fields[this.name].kind === 'count') return true
    return !agree(this.name, before, this.state)
  }

  /** What was typed gives way to a value that comes from elsewhere, such as Undo. */
  protected override willUpdate(changed: PropertyValues<this>) {
    // What was refused is over with the next change, whosesoever it is.
    if (changed.get('state') && !changed.has('refusal')) this.refusal = undefined
    if (this.draft === undefined || !changed.has('state')) return
    const { value, refusal } = this.#read(this.draft)
    const before = changed.get('state') as State | undefined
    const isOurs = refusal === undefined && agree(this.name, this.state, { ...this.state, [this.name]: value })
    if (!isOurs && before && !agree(this.name, before, this.state)) this.draft = undefined
  }

  #refusal() {
    return this.refusal ? html`<p id="refusal" class="refusal" role="alert">${this.refusal}</p>` : nothing
  }

  #set(value: unknown) {
    this.refusal = undefined
    const detail: SettingDetail = { name: this.name, value }
    this.dispatchEvent(new CustomEvent('setting', { detail, bubbles: true, composed: true }))
  }
}
