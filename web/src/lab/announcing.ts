// Tells a screen reader of a change, once, when the controls rest.

import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { changesOf } from './model/changes.ts'
import type { State } from './model/state.ts'
import { Resting } from './resting.ts'
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
    this.#resting.changed()
  }

  hostDisconnected() {
    this.#resting.cancel()
  }

  readonly #resting = new Resting(() => {
    const { state } = this.#host
    this.text = words.announce(state, changesOf(this.#told, state), this.#rules())
    this.#told = state
    this.#host.requestUpdate()
  }, restMs)
}
