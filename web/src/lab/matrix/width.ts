// How wide an element is, known before its first frame so that nothing moves after it.

import type { ReactiveController, ReactiveControllerHost } from 'lit'

export class Width implements ReactiveController {
  /** In whole CSS pixels; 0 while it has none. */
  now = 0
  readonly #host: ReactiveControllerHost & Element
  readonly #observer = new ResizeObserver(([entry]) => {
    if (entry) this.#set(entry.contentRect.width)
  })

  constructor(host: ReactiveControllerHost & Element) {
    this.#host = host
    host.addController(this)
  }

  hostConnected() {
    this.#set(this.#host.getBoundingClientRect().width)
    this.#observer.observe(this.#host)
  }

  hostDisconnected() {
    this.#observer.disconnect()
  }

  #set(width: number) {
    const now = Math.floor(width)
    if (now === this.now) return
    this.now = now
    this.#host.requestUpdate()
  }
}
