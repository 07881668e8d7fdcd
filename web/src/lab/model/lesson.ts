// Where a lesson starts: the state that the attributes of a page's tag say.

import { fromText } from './link.ts'
import { complaintsOf } from './misfits.ts'
import { attributeOf, type Name, type State, start } from './state.ts'

export class Lesson {
  /** What Reset goes back to, and what a link differs from. */
  start: State = start
  readonly #refusals = new Map<Name, string>()

  /** Takes an attribute's text; null where there is none any more. */
  take(name: Name, text: string | null): void {
    const { value, refusal } = text === null ? { value: start[name] } : fromText(name, text, attributeOf)
    this.#refusals.delete(name)
    if (refusal !== undefined) this.#refusals.set(name, refusal)
    this.start = { ...this.start, [name]: refusal === undefined ? value : start[name] }
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
