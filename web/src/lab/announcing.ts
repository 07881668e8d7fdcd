// Tells a screen reader of a change, once, when the controls rest.

import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { changesOf } from './model/changes.ts'
import type { State } from './model/state.ts'
import { labWords as words } from './words.ts'

/** How long the controls must rest before a change is read out. */
const restMs = 500

interface Host extends ReactiveControllerHost {
  readonly state: State
}

export class Announcing implements ReactiveController {
  /** What was read out last. */
  text = ''
  readonly #host: Host
  readonly #rules: () => readonly string[]
  #waiting: ReturnType<typeof setTimeout> | undefined
  /** The state that was read out last. */
  #told: State

  /** `rules` gives the names of those that are in force. */
  constructor(host: Host, told: State, rules: () => readonly string[]) {
    this.#host = host
    this.#told = told
    this.#rules = rules
    host.addController(this)
  }

  /** A state that is no change, from which later ones are told. */
  begin(state: State) {
    this.#told = state
  }

  changed() {
    clearTimeout(this.#waiting)
    this.#waiting = setTimeout(() => {
      const { state } = this.#host
      this.text = words.announce(state, changesOf(this.#told, state), this.#rules())
      this.#told = state
      this.#host.requestUpdate()
    }, restMs)
  }

  hostDisconnected() {
    clearTimeout(this.#waiting)
  }
}
