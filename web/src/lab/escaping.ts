// Escape, from anywhere in the widget. Where no element has the focus, it is for the
// widget of the page that was used last.

import type { ReactiveController, ReactiveControllerHost } from 'lit'

let inUse: Element | undefined

export class Escaping implements ReactiveController {
  readonly #host: Element
  readonly #free: () => void

  /** Calls `free` when Escape is pressed and nobody has taken it for something else. */
  constructor(host: ReactiveControllerHost & Element, free: () => void) {
    this.#host = host
    this.#free = free
    host.addController(this)
    const use = () => {
      inUse = host
    }
    host.addEventListener('pointerenter', use)
    host.addEventListener('focusin', use)
  }

  hostConnected() {
    document.addEventListener('keydown', this.#escape)
    inUse ??= this.#host
  }

  hostDisconnected() {
    document.removeEventListener('keydown', this.#escape)
    if (inUse === this.#host) inUse = undefined
  }

  readonly #escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    const isOurs =
      event.target === document.body ? (inUse ?? this.#host) === this.#host : event.composedPath().includes(this.#host)
    if (isOurs) this.#free()
  }
}
