// Keeps an element as high as it has been, so that what is below it stays put.

import type { ReactiveController, ReactiveControllerHost } from 'lit'

export class KeptHeight implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement
  readonly #kind: () => string
  #known = ''
  #width = 0
  #height = 0
  readonly #observer = new ResizeObserver(([entry]) => {
    const { width = 0, height = 0 } = entry?.contentRect ?? {}
    if (width !== this.#width) {
      this.#width = width
      this.#forget()
    } else if (height > this.#height) {
      this.#height = height
      this.#host.style.minHeight = `${height}px`
    }
  })

  /** What was kept is given up when the element's width changes, or `kind`, which says what it holds. */
  constructor(host: ReactiveControllerHost & HTMLElement, kind: () => string) {
    this.#host = host
    this.#kind = kind
    host.addController(this)
  }

  hostConnected() {
    this.#observer.observe(this.#host)
  }

  hostDisconnected() {
    this.#observer.disconnect()
  }

  hostUpdate() {
    const kind = this.#kind()
    if (kind !== this.#known) this.#forget()
    this.#known = kind
  }

  #forget() {
    this.#height = 0
    this.#host.style.minHeight = ''
    // So that it tells the height also where that stays as it was.
    this.#observer.unobserve(this.#host)
    this.#observer.observe(this.#host)
  }
}
