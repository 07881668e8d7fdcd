// Where a lesson starts: the state that the attributes of a page's tag say.

import { fromText, withText } from './link.ts'
import { complaintsOf } from './misfits.ts'
import { attributeOf, type Name, type State, start } from './state.ts'

export class Lesson {
  readonly #taken = new Map<Name, unknown>()
  readonly #refusals = new Map<Name, string>()
  #start: State = start

  /** What Reset goes back to, and what a link differs from. */
  get start(): State {
    return this.#start
  }

  /** Takes an attribute's text; null where there is none any more. */
  take(name: Name, text: string | null): void {
    const { value, refusal } = text === null ? {} : fromText(name, text, attributeOf)
    this.#refusals.delete(name)
    this.#taken.delete(name)
    if (refusal !== undefined) this.#refusals.set(name, refusal)
    else if (text !== null) this.#taken.set(name, value)
    const taken = Object.fromEntries(this.#taken) as Partial<State>
    this.#start = { ...withText(start, taken.text ?? start.text), ...taken }
  }

  /** A sentence for each attribute that cannot be what it says. */
  get refusals(): string[] {
    return [...this.#refusals.values()]
  }

  /** These, and one for each that does not go with the others. */
  get complaints(): string[] {
    return [...this.refusals, ...complaintsOf(this.start, start, attributeOf)]
  }
}
