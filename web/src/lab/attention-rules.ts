// <attention-rules>: the mask as a list of rules that hold at once. Each has its
// switch, what it says in words and as the core's code, and what it lets through, or
// would if it were on, as a picture; where it is on, its amounts and its formula too.

import { css, html, LitElement, nothing, type PropertyValues } from 'lit'
import { formulaStyles } from './formulas.ts'
import type { Inputs } from './model/remembering.ts'
import { fewTokens, isShownForFew, type Rule, type RuleControl, ruleControls, ruleIfOn } from './model/rules.ts'
import type { Scene } from './model/scene.ts'
import { countOf, inForce } from './model/settings.ts'
import type { Matrix, Stage } from './model/stage.ts'
import type { State } from './model/state.ts'
import { Resting } from './resting.ts'
import { formulaOf } from './rule-formula.ts'
import { base } from './theme.ts'
import { labWords as words } from './words.ts'

/** How long the controls must rest before the rules that are off are asked about anew. */
const restMs = 150

export class AttentionRules extends LitElement {
  static override properties = {
    state: { attribute: false },
    scene: { attribute: false },
    inputs: { attribute: false },
  }
  declare state: State
  declare scene: Scene | undefined
  /** Whom to ask about rules that are off. */
  declare inputs: Inputs | undefined

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
      /* The picture's room is there before the picture is. */
      li {
        display: grid;
        grid-template: auto minmax(1.5rem, auto) / minmax(0, 1fr) 44px;
        gap: 0 var(--space-3);
        padding: var(--space-1) 0 var(--space-2);
        border-bottom: 1px solid var(--line);
      }
      .amounts {
        grid-column: 1 / -1;
        margin-top: var(--space-1);
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
        min-height: 1lh;
        font-size: 0.6875rem;
        overflow-wrap: anywhere;
        color: var(--ink-soft);
      }
      attention-thumbnail {
        grid-column: 2;
        grid-row: 1 / span 2;
      }
      .off attention-thumbnail {
        opacity: 0.75;
      }
      @media print {
        .off,
        .amounts,
        button {
          display: none;
        }
      }
    `,
  ]

  override render() {
    const byName = new Map(this.scene?.rules.map((rule) => [rule.name, rule]))
    const padding = byName.get('padding')
    const state = inForce(this.state)
    return html`
      <h3>${words.groups.mask}</h3>
      <ul>
        ${ruleControls.map((control) => this.#rule(control, byName.get(control.flag) ?? this.#ifOn(control), state))}
        ${padding ? html`<li><span>${words.ruleName('padding')}</span>${this.#says('padding', padding, state)}</li>` : nothing}
      </ul>
      <p class="soft says">${this.#all()}</p>
    `
  }

  #rule({ flag, amounts }: RuleControl, rule: Rule | undefined, state: State) {
    const field = (name: (typeof amounts)[number] | typeof flag) =>
      html`<attention-field .name=${name} .state=${this.state}></attention-field>`
    const isOn = this.state[flag]
    return html`
      <li class=${isOn ? '' : 'off'}>
        ${field(flag)} ${this.#says(flag, rule, state)}
        ${isOn && rule?.made ? html`<span class="formula says">${formulaOf(rule.made)}</span>` : nothing}
        ${isOn && amounts.length > 0 ? html`<div class="amounts">${amounts.map(field)}</div>` : nothing}
        ${isOn && flag === 'painted' ? this.#painting() : nothing}
      </li>
    `
  }

  #says(name: Rule['name'], rule: Rule | undefined, state: State) {
    return html`
      <p class="says soft">
        ${words.ruleSays[name]?.(state)}
        <code>${rule?.code}</code>
      </p>
      ${rule ? html`<attention-thumbnail .matrix=${this.#matrix(rule)} .side=${44} .range=${range}></attention-thumbnail>` : nothing}
    `
  }

  /** The rules that are off, as they were when the controls last rested: a slider's frame has better things to do. */
  readonly #asked = new Map<RuleControl, Rule>()
  readonly #resting = new Resting(() => {
    this.#asked.clear()
    this.requestUpdate()
  }, restMs)

  protected override updated(changed: PropertyValues<this>) {
    if (changed.has('scene') || changed.has('state')) this.#resting.changed()
  }

  override disconnectedCallback() {
    super.disconnectedCallback()
    this.#resting.cancel()
    this.#asked.clear()
  }

  /** Asks anew after a move: what was known went with the place before. */
  override connectedCallback() {
    super.connectedCallback()
    if (this.hasUpdated) this.requestUpdate()
  }

  /** A rule that is off as it would be on; undefined while that is not known. */
  #ifOn(control: RuleControl): Rule | undefined {
    const rule = this.#asked.get(control) ?? this.#ask(control)
    if (rule) this.#asked.set(control, rule)
    return rule
  }

  #ask(control: RuleControl): Rule | undefined {
    const { scene, inputs } = this
    const place = scene?.places[countOf('sequence', this.state)] ?? scene?.places[0]
    if (!scene || !inputs || !place) return undefined
    try {
      return ruleIfOn(inputs, control, scene.settings, place)
    } catch {
      // Not recorded, or refused, which is said once the rule is on.
      return undefined
    }
  }

  /** What is drawn of what is allowed, which most changes leave as it is: of 2048 tokens one takes 10 ms. */
  readonly #pictures = new WeakMap<Uint8Array, { readonly matrix: Matrix; readonly bit: number }>()

  /** What the rule allows, as the stage that it acts on is drawn: hidden cells hatched in its pattern. */
  #matrix({ name, allowed, queries, keys }: Rule): Matrix {
    const order = ruleControls.map(({ flag }) => flag).filter((flag) => flag === name || this.state[flag])
    const bit = 1 << (name === 'padding' ? order.length : order.indexOf(name))
    // A rule that differs from sequence to sequence is shown for the one that is looked at.
    const pairs = queries * keys
    const offset = allowed.length > pairs ? countOf('sequence', this.state) * pairs : 0
    const known = this.#pictures.get(allowed)
    if (known?.bit === bit && known.matrix.offset === offset) return known.matrix
    const stage = known?.bit === bit ? known.matrix.stage : stageOf(allowed, bit, queries, keys)
    const matrix = { rows: queries, columns: keys, offset, rowStride: keys, columnStride: 1, stage }
    this.#pictures.set(allowed, { matrix, bit })
    return matrix
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
    const all = on === 0 ? words.noRule : on === 1 ? nothing : words.conjunction
    return html`${all} ${isShownForFew(this.scene.settings) ? html`<span class="off">${words.shownForFew(fewTokens)}</span>` : nothing}`
  }
}

/** The ends of the colours; no value has one. */
const range = { min: 0, max: 1 }

/** A stage without values: only what is hidden is drawn. */
function stageOf(allowed: Uint8Array, bit: number, queries: number, keys: number): Stage {
  const hiddenBy = new Uint16Array(allowed.length)
  for (let pair = 0; pair < allowed.length; ++pair) if (!allowed[pair]) hiddenBy[pair] = bit
  const axes = ['B', 'T', 'S'] as const
  const shape = [allowed.length / Math.max(queries * keys, 1), queries, keys]
  return { name: 'masked', axes, shape, strides: [queries * keys, keys, 1], values: new Float32Array(0), hiddenBy }
}
