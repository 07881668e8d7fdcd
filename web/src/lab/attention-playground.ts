// <attention-playground>: holds the state, asks the engine, hands the answer to
// its parts. It is given an engine and loads none.

import { css, html, LitElement, type PropertyValues } from 'lit'
import type { Attention } from '../engine/index.ts'
import type { ChangeDetail } from './attention-controls.ts'
import { change, type State, settingsOf, start } from './state.ts'
import { base, palette } from './theme.ts'
import { type Cell, nearest, type View, viewOf } from './view.ts'
import { words } from './words.ts'

/** How long the controls must rest before a change is read out. */
const restMs = 500

export class AttentionPlayground extends LitElement {
  static override properties = {
    engine: { attribute: false },
    failure: { attribute: false },
    state: { state: true },
    picked: { state: true },
    pointed: { state: true },
    announcement: { state: true },
  }
  /** The core that computes every number. */
  declare engine: Attention | undefined
  /** Why there is no engine, as a sentence. */
  declare failure: string | undefined
  declare state: State
  declare picked: Cell
  declare pointed: Cell | undefined
  declare announcement: string

  #view: View = { settings: settingsOf(start), hiddenReasons: [] }
  #refusal: string | undefined
  #announcing: ReturnType<typeof setTimeout> | undefined

  static override styles = [
    palette,
    base,
    css`
      :host {
        container: widget / inline-size;
        position: relative;
        color: var(--ink);
        font-size: var(--text);
        line-height: 1.5;
      }
      .widget {
        display: grid;
        gap: var(--space-5);
        padding: var(--space-4) var(--space-3);
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: 12px;
      }
      attention-controls {
        padding-bottom: var(--space-4);
        border-bottom: 1px solid var(--line);
      }
      .stage {
        display: grid;
        grid-template: 'heads' 'card' 'vectors' / minmax(0, 1fr);
        gap: var(--space-5);
      }
      attention-heads {
        grid-area: heads;
      }
      attention-card {
        grid-area: card;
        min-height: 30rem;
      }
      attention-vectors {
        grid-area: vectors;
      }
      .sentence {
        min-height: 30rem;
      }
      .refusal {
        color: var(--key);
        overflow-wrap: anywhere;
      }
      @container widget (min-width: 640px) {
        .widget {
          padding: var(--space-5);
        }
        .stage {
          grid-template: 'heads heads' 'card vectors' / minmax(0, 22rem) minmax(0, 1fr);
          gap: var(--space-5) 2rem;
        }
      }
      @container widget (min-width: 1080px) {
        .stage {
          grid-template: 'heads card' min-content 'vectors card' 1fr / minmax(0, 1fr) 25rem;
          gap: var(--space-5) 2.5rem;
        }
        .stage.one {
          grid-template: 'vectors heads card' / minmax(11rem, 1fr) 29.5rem minmax(25rem, 1.8fr);
        }
        attention-card {
          align-self: start;
          position: sticky;
          top: var(--space-4);
        }
      }
    `,
  ]

  constructor() {
    super()
    this.state = start
    this.picked = { head: 0, query: 1, key: 0 }
    this.announcement = ''
  }

  override disconnectedCallback() {
    super.disconnectedCallback()
    clearTimeout(this.#announcing)
  }

  protected override willUpdate(changed: PropertyValues) {
    if (changed.has('state') || changed.has('engine')) this.#compute()
  }

  #compute() {
    const settings = settingsOf(this.state)
    this.#refusal = undefined
    try {
      this.#view = viewOf(this.engine, settings)
    } catch (error) {
      this.#view = { settings, hiddenReasons: [] }
      this.#refusal = error instanceof Error ? error.message : String(error)
    }
  }

  override render() {
    return html`
      <div class="widget">
        <attention-controls .state=${this.state} @setting=${this.#set}></attention-controls>
        ${this.#stage()}
      </div>
      <p class="unseen" role="status">${this.announcement}</p>
    `
  }

  #stage() {
    const refusal = this.failure ?? this.#refusal
    if (refusal !== undefined) return html`<p class="sentence refusal" role="alert">${refusal}</p>`
    const { settings } = this.#view
    if (settings.tokens.length === 0) return html`<p class="sentence soft">${words.empty}</p>`
    const picked = nearest(this.picked, settings)
    const shown = nearest(this.pointed ?? this.picked, settings)
    return html`
      <div class=${settings.queryHeads === 1 ? 'stage one' : 'stage'} aria-busy=${this.engine ? 'false' : 'true'}>
        <attention-heads
          .view=${this.#view}
          .picked=${picked}
          .shown=${shown}
          @point=${(event: CustomEvent<Cell | undefined>) => {
            this.pointed = event.detail
          }}
          @pick=${(event: CustomEvent<Cell>) => {
            this.picked = event.detail
            this.pointed = undefined
          }}
        ></attention-heads>
        <attention-card .view=${this.#view} .cell=${shown}></attention-card>
        <attention-vectors .view=${this.#view} .cell=${shown}></attention-vectors>
      </div>
    `
  }

  #set(event: CustomEvent<ChangeDetail>) {
    this.state = change(this.state, event.detail.name, event.detail.value)
    clearTimeout(this.#announcing)
    this.#announcing = setTimeout(() => {
      this.announcement = words.announce(settingsOf(this.state))
    }, restMs)
  }
}
