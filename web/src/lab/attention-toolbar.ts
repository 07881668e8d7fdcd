// <attention-toolbar>: undo, redo, reset, share and export.

import { css, html, LitElement, nothing } from 'lit'
import { base } from './theme.ts'
import { exportWords, labWords as words } from './words.ts'

export type Tool = 'undo' | 'redo' | 'reset' | 'share'

/** What <attention-playground> listens for. */
const shortcuts: Partial<Record<Tool, string>> = {
  undo: 'Control+Z Meta+Z',
  redo: 'Control+Shift+Z Meta+Shift+Z Control+Y',
}

export type FormatName = keyof typeof exportWords.formats

/**
 * @fires {CustomEvent<Tool>} tool
 * @fires {CustomEvent<FormatName>} export - A file that is wanted.
 */
export class AttentionToolbar extends LitElement {
  static override properties = {
    undoable: { type: Boolean },
    redoable: { type: Boolean },
    changed: { type: Boolean },
    link: { type: Boolean },
    open: { state: true },
  }
  declare undoable: boolean
  declare redoable: boolean
  /** Whether there is anything to reset. */
  declare changed: boolean
  /** Whether sharing gives an address; else it gives a tag. */
  declare link: boolean
  declare open: boolean

  static override styles = [
    base,
    css`
      :host {
        position: relative;
      }
      .tools {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-1);
      }
      button {
        min-height: 2rem;
        padding: 0 var(--space-3);
        font: inherit;
        font-size: var(--text-small);
        color: var(--ink);
        background: none;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        cursor: pointer;
      }
      button:hover:not([aria-disabled]) {
        background: var(--sunken);
      }
      button[aria-disabled] {
        color: var(--ink-soft);
        opacity: 0.7;
        cursor: default;
      }
      .menu {
        position: absolute;
        z-index: 2;
        right: 0;
        top: calc(100% + 4px);
        display: grid;
        min-width: 14rem;
        padding: var(--space-1);
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: var(--radius);
        box-shadow: 0 4px 16px #0002;
      }
      .menu button {
        border: 0;
        text-align: start;
      }
    `,
  ]

  constructor() {
    super()
    this.undoable = false
    this.redoable = false
    this.changed = false
    this.link = false
    this.open = false
  }

  override render() {
    const tool = (name: Tool, label: string, able = true) =>
      // A button that was disabled would let go of the focus: who undoes the last step loses their place.
      html`<button
        type="button"
        aria-disabled=${able ? nothing : 'true'}
        aria-keyshortcuts=${shortcuts[name] ?? nothing}
        @click=${() => {
          if (able) this.#fire('tool', name)
        }}
      >
        ${label}
      </button>`
    return html`
      <div class="tools" role="group" aria-label=${words.tools} @keydown=${this.#key} @focusout=${this.#leave}>
        ${tool('undo', words.undo, this.undoable)} ${tool('redo', words.redo, this.redoable)}
        ${tool('reset', words.reset, this.changed)} ${tool('share', this.link ? words.share : words.shareTag)}
        <button
          type="button"
          class="opener"
          aria-expanded=${this.open ? 'true' : 'false'}
          @click=${() => {
            this.open = !this.open
          }}
        >
          ${exportWords.export}
        </button>
        ${this.open ? this.#menu() : nothing}
      </div>
    `
  }

  #menu() {
    return html`
      <div class="menu">
        ${Object.entries(exportWords.formats).map(
          ([format, label]) => html`
            <button
              type="button"
              @click=${() => {
                this.open = false
                this.#fire('export', format)
                this.renderRoot.querySelector<HTMLElement>('.opener')?.focus()
              }}
            >
              ${label}
            </button>
          `,
        )}
      </div>
    `
  }

  #key(event: KeyboardEvent) {
    if (event.key !== 'Escape' || !this.open) return
    event.preventDefault()
    this.open = false
    this.renderRoot.querySelector<HTMLElement>('.opener')?.focus()
  }

  #leave(event: FocusEvent) {
    if (!this.renderRoot.contains(event.relatedTarget as Node | null)) this.open = false
  }

  #fire(type: string, detail: unknown) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
  }
}
