// <attention-controls>: the fields of the state in groups, those that have a say as
// things are.

import { css, html, LitElement, nothing } from 'lit'
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
      ${this.#group(words.groups.tokens, ['text'], ['keys', ...(state.positions === 'training' || state.positions === 'own' ? (['queries'] as const) : [])])}
      ${this.#group(words.groups.positions, ['positions'], positionFields[state.positions])}
      ${this.#group(words.groups.heads, [], ['queryHeads', 'kvHeads', 'headDim', 'valueDim'])}
      ${this.#group(words.groups.scores, ['scale', ...(state.scale === 'own' ? (['ownScale'] as const) : [])], ['softcap'])}
      ${this.#group(
        words.groups.numbers,
        ['preset', ...(state.preset === 'example' ? (['x', 'wq', 'wk', 'wv', 'wo'] as const) : [])],
        ['features', ...(state.preset === 'example' ? (['seed'] as const) : [])],
      )}
      <p class="soft">${state.preset === 'example' ? words.seedSays : words.handMade}</p>
    `
  }

  #group(title: string, wide: readonly Name[], narrow: readonly Name[]) {
    const field = (name: Name) => html`<attention-field .name=${name} .state=${this.state}></attention-field>`
    return html`
      <section>
        <h3>${title}</h3>
        ${wide.map(field)}
        ${narrow.length > 0 ? html`<div class="two">${narrow.map(field)}</div>` : nothing}
      </section>
    `
  }
}
