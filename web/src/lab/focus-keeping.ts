// Where what has the focus goes, such as a matrix of the stage that Undo leaves, the
// focus would fall to the page's beginning. It stays in the widget, near where it was.

import type { ReactiveController, ReactiveControllerHost } from 'lit'

interface Host extends ReactiveControllerHost {
  readonly shadowRoot: ShadowRoot | null
}

export class FocusKeeping implements ReactiveController {
  readonly #host: Host
  /** What has the focus before the host is updated, and in which of its parts. */
  #focused: Element | null = null
  #part: Element | null = null

  constructor(host: Host) {
    this.#host = host
    host.addController(this)
  }

  hostUpdate() {
    this.#part = this.#host.shadowRoot?.activeElement ?? null
    this.#focused = this.#part
    while (this.#focused?.shadowRoot?.activeElement) this.#focused = this.#focused.shadowRoot.activeElement
  }

  hostUpdated() {
    const [focused, part] = [this.#focused, this.#part]
    // By the next frame what comes in its place is there.
    if (focused) requestAnimationFrame(() => this.#keep(focused, part))
  }

  #keep(focused: Element, part: Element | null) {
    const root = this.#host.shadowRoot
    if (focused.isConnected || root?.activeElement || document.activeElement !== document.body) return
    const parts = [part, ...(root?.querySelectorAll('attention-stage, attention-strip, attention-controls') ?? [])]
    for (const part of parts) {
      const found = part?.isConnected && firstIn(part)
      if (found) return found.focus({ preventScroll: true })
    }
  }
}

/** What to go on from in a part: a cell of the stage's own matrix, the chosen stage, or the first control. */
function firstIn({ shadowRoot }: Element): HTMLElement | undefined {
  if (!shadowRoot) return undefined
  const own = shadowRoot.querySelector<HTMLElement>('td[tabindex="0"], [aria-current], input, summary')
  if (own) return own
  for (const element of [...shadowRoot.querySelectorAll('.result *'), ...shadowRoot.querySelectorAll('*')]) {
    const found = firstIn(element)
    if (found) return found
  }
  return undefined
}
