/**
 * Does `act` when no change has come for some milliseconds. Costs a change next to nothing:
 * a timer that runs is left to, and begins anew only if it ran out too early. Browsers take
 * as long to set or clear one as to draw a small matrix.
 */
export class Resting {
  readonly #act: () => void
  readonly #milliseconds: number
  #changed = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(act: () => void, milliseconds: number) {
    this.#act = act
    this.#milliseconds = milliseconds
  }

  changed(): void {
    this.#changed = performance.now()
    this.#timer ??= setTimeout(this.#check, this.#milliseconds)
  }

  /** Forgets the changes that came. */
  cancel(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
  }

  readonly #check = () => {
    const left = this.#changed + this.#milliseconds - performance.now()
    this.#timer = left > 0 ? setTimeout(this.#check, left) : undefined
    if (left <= 0) this.#act()
  }
}
