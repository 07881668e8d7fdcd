// <attention-rules>: the mask as a list of rules that hold at once. Each has its
// switch and its amounts, and where it is on what it says, in words and as the core's
// code, and what it lets through as a picture.

import { css, html, LitElement, nothing } from 'lit'
import { formulaStyles } from './formulas.ts'
import { type Rule, type RuleControl, ruleControls } from './model/rules.ts'
import type { Scene } from './model/scene.ts'
import { countOf, inForce } from './model/settings.ts'
import type { Matrix, Stage } from './model/stage.ts'
import type { State } from './model/state.ts'
import { formulaOf } from './rule-formula.ts'
import { base } from './theme.ts'
import { labWords as words } from './words.ts'

export class AttentionRules extends LitElement {
  static override properties = { state: { attribute: false }, scene: { attribute: false } }
  declare state: State
  declare scene: Scene | undefined

  static override styles = [
    base,
    formulaStyles,
    css`
      .formula {
        display: block;
        color: var(--ink);
      }
      :host {
        display: grid;
        gap: var(--space-2);
        align-content: start;
      }
      h3 {
        font-size: var(--text);
      }
      ul {
        display: grid;
        gap: var(--space-1);
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li.on {
        display: grid;
        grid-template-columns: minmax(0, 1fr) max-content;
        gap: var(--space-1) var(--space-3);
        padding: var(--space-1) 0 var(--space-2);
        border-bottom: 1px solid var(--line);
      }
      .amounts {
        grid-column: 1 / -1;
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(6rem, 1fr));
        gap: var(--space-2) var(--space-3);
      }
      .says {
        grid-column: 1;
        font-size: var(--text-small);
        line-height: 1.45;
      }
      button {
        justify-self: start;
        min-height: 1.75rem;
        padding: 0 var(--space-3);
        font: inherit;
        font-size: var(--text-small);
        color: inherit;
        background: none;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        cursor: pointer;
      }
      button:hover {
        background: var(--sunken);
      }
      code {
        display: block;
        font-size: 0.6875rem;
        overflow-wrap: anywhere;
        color: var(--ink-soft);
      }
      attention-thumbnail {
        grid-column: 2;
        grid-row: 1 / span 2;
      }
    `,
  ]

  override render() {
    const byName = new Map(this.scene?.rules.map((rule) => [rule.name, rule]))
    const padding = byName.get('padding')
    return html`
      <h3>${words.groups.mask}</h3>
      <ul>
        ${ruleControls.map((control) => this.#rule(control, byName.get(control.flag)))}
        ${padding ? html`<li class="on"><span>${words.ruleName('padding')}</span>${this.#says(padding)}</li>` : nothing}
      </ul>
      <p class="soft says">${this.#all()}</p>
    `
  }

  #rule({ flag, amounts }: RuleControl, rule: Rule | undefined) {
    const field = (name: (typeof amounts)[number] | typeof flag) =>
      html`<attention-field .name=${name} .state=${this.state}></attention-field>`
    if (!this.state[flag]) return html`<li>${field(flag)}</li>`
    return html`
      <li class="on">
        ${field(flag)} ${rule ? this.#says(rule) : nothing}
        ${amounts.length > 0 ? html`<div class="amounts">${amounts.map(field)}</div>` : nothing}
        ${flag === 'painted' ? this.#painting() : nothing}
      </li>
    `
  }

  #says(rule: Rule) {
    const matrix = this.#matrix(rule)
    return html`
      <p class="says soft">
        ${words.ruleSays[rule.name]?.(inForce(this.state))}
        ${rule.made ? html`<span class="formula">${formulaOf(rule.made)}</span>` : nothing}
        <code>${rule.code}</code>
      </p>
      ${matrix ? html`<attention-thumbnail .matrix=${matrix} .side=${44} .range=${{ min: 0, max: 1 }}></attention-thumbnail>` : nothing}
    `
  }

  /** The stages of the scene's rules: of 2048 tokens one takes 10 ms. */
  #stages = new WeakMap<Rule, Stage>()

  /** What the rule allows, as the stage that it acts on is drawn: hidden cells hatched in its pattern. */
  #matrix(rule: Rule): Matrix | undefined {
    if (!this.scene) return undefined
    const { queries, keys } = this.scene.settings
    const stage = this.#stages.get(rule) ?? stageOf(rule, this.scene)
    this.#stages.set(rule, stage)
    // A rule that differs from sequence to sequence is shown for the one that is looked at.
    const pairs = queries * keys
    const offset = rule.allowed.length > pairs ? countOf('sequence', this.state) * pairs : 0
    return { rows: queries, columns: keys, offset, rowStride: keys, columnStride: 1, stage }
  }

  #painting() {
    const set = (cells: ReadonlySet<string>) => {
      const detail = { name: 'paintedCells', value: cells }
      this.dispatchEvent(new CustomEvent('setting', { detail, bubbles: true, composed: true }))
    }
    return html`<button type="button" @click=${() => set(new Set())}>${words.unpaint}</button>`
  }

  #all() {
    if (!this.scene) return nothing
    const on = this.scene.rules.length
    return on === 0 ? words.noRule : on === 1 ? nothing : words.conjunction
  }
}

/** A stage without values: only what is hidden is drawn. */
function stageOf({ name, allowed }: Rule, { rules, settings: { queries, keys } }: Scene): Stage {
  const bit = 1 << rules.findIndex((rule) => rule.name === name)
  const hiddenBy = new Uint16Array(allowed.length)
  for (let pair = 0; pair < allowed.length; ++pair) if (!allowed[pair]) hiddenBy[pair] = bit
  const axes = ['B', 'T', 'S'] as const
  const shape = [allowed.length / Math.max(queries * keys, 1), queries, keys]
  return { name: 'masked', axes, shape, strides: [queries * keys, keys, 1], values: new Float32Array(0), hiddenBy }
}
