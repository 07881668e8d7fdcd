// <attention-controls>: the fields of the state in groups, those that have a say as
// things are.

import { css, html, LitElement, nothing } from 'lit'
import { saying } from './model/having-a-say.ts'
import { positionFields } from './model/positions.ts'
import type { Name, State } from './model/state.ts'
import { base } from './theme.ts'
import { labWords as words } from './words.ts'

/** Fires what <attention-field> fires. */
export class AttentionControls extends LitElement {
  static override properties = { state: { attribute: false } }
  declare state: State

  static override styles = [
    base,
    css`
      :host {
        display: grid;
        gap: var(--space-4);
        align-content: start;
      }
      section {
        display: grid;
        gap: var(--space-2) var(--space-4);
      }
      h3 {
        font-size: var(--text);
      }
      p {
        font-size: var(--text-small);
      }
      .two {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr));
        gap: var(--space-2) var(--space-4);
      }
    `,
  ]

  override render() {
    const { state } = this
    return html`
      ${this.#group(words.groups.tokens, ['text'], ['keys', 'queries'])}
      ${this.#group(words.groups.positions, ['positions'], positionFields)}
      ${this.#group(words.groups.heads, [], ['queryHeads', 'kvHeads', 'headDim', 'valueDim'])}
      ${this.#group(words.groups.scores, ['scale', 'ownScale'], ['softcap'])}
      ${this.#group(words.groups.numbers, ['preset', 'x', 'wq', 'wk', 'wv', 'wo'], ['features', 'seed'])}
      <p class="soft">${state.preset === 'example' ? words.seedSays : words.handMade}</p>
    `
  }

  #group(title: string, wide: readonly Name[], narrow: readonly Name[]) {
    const { state } = this
    const field = (name: Name) => html`<attention-field .name=${name} .state=${state}></attention-field>`
    const besides = saying(narrow, state)
    return html`
      <section>
        <h3>${title}</h3>
        ${saying(wide, state).map(field)}
        ${besides.length > 0 ? html`<div class="two">${besides.map(field)}</div>` : nothing}
      </section>
    `
  }
}
