// Keeps the stage in the window while the controls below it or beside it are used, so
// that a person who moves a slider sees what it does.

import type { ReactiveController, ReactiveControllerHost } from 'lit'

/** The share of the window that the stage may cover where the controls lie below it. */
const most = 0.62

/**
 * Marks the host's `.stage` with the class `stays` where there is room beside it in the
 * window, and tells the style sheets as `--stage-height` how much of it that takes.
 */
export class InSight implements ReactiveController {
  readonly #host: ReactiveControllerHost & { readonly renderRoot: HTMLElement | DocumentFragment }
  readonly #isBeside: () => boolean
  readonly #observer = new ResizeObserver(() => this.#measure())
  #stage: HTMLElement | undefined
  #watching = new AbortController()

  /** `isBeside` tells whether the controls stand beside the stage. */
  constructor(
    host: ReactiveControllerHost & { readonly renderRoot: HTMLElement | DocumentFragment },
    isBeside: () => boolean,
  ) {
    this.#host = host
    this.#isBeside = isBeside
    host.addController(this)
  }

  hostConnected() {
    this.#watching = new AbortController()
    addEventListener('resize', () => this.#measure(), { signal: this.#watching.signal })
    if (this.#stage) this.#observer.observe(this.#stage)
  }

  hostDisconnected() {
    this.#watching.abort()
    this.#observer.disconnect()
  }

  hostUpdated() {
    const stage = this.#host.renderRoot.querySelector<HTMLElement>('.stage') ?? undefined
    if (stage === this.#stage) return
    this.#observer.disconnect()
    this.#stage = stage
    if (stage) this.#observer.observe(stage)
  }

  #measure() {
    if (!this.#stage) return
    const { offsetHeight } = this.#stage
    // What the page's own header covers.
    const top = Number.parseFloat(getComputedStyle(this.#stage).top) || 0
    const stays = offsetHeight <= (innerHeight - top) * (this.#isBeside() ? 1 : most)
    this.#stage.classList.toggle('stays', stays)
    this.#stage.parentElement?.style.setProperty('--stage-height', stays ? `${offsetHeight}px` : '0px')
  }
}
