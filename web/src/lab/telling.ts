// What came of a link that was copied, of a file that was saved, or of edited cells that
// were filled anew, in a sentence.

import { html, nothing, type ReactiveControllerHost } from 'lit'
import type { editsLostBy } from './model/actions.ts'
import { fields } from './model/state.ts'
import { sentenceOf } from './tracing.ts'
import { labWords as words } from './words.ts'

/** Chromium's name for the policy that the page around a frame gives it. */
interface WithPolicy {
  readonly featurePolicy?: { allowsFeature(feature: string): boolean }
}

/** Whether trying makes sense: where the policy forbids it, the browser would write an error to the console, besides. */
const mayCopy = () => (document as WithPolicy).featurePolicy?.allowsFeature('clipboard-write') ?? true

export class Telling {
  readonly #host: ReactiveControllerHost
  #text: string | undefined
  /** What a person has to copy by hand. */
  #copy: string | undefined

  constructor(host: ReactiveControllerHost) {
    this.#host = host
  }

  /** Forgets what was told. */
  over(): void {
    if (this.#text !== undefined) this.#tell(undefined)
  }

  /** Says which edited cells were replaced, if any. */
  replaced(lost: ReturnType<typeof editsLostBy>): void {
    if (lost.length > 0) this.#tell(words.editsReplaced(lost.map(({ matrix, count }) => [count, fields[matrix].label])))
  }

  /** Copies a link or a tag; where the page may not, it is shown. */
  async copy(text: string): Promise<void> {
    try {
      if (mayCopy()) {
        await navigator.clipboard.writeText(text)
        return this.#tell(words.shared)
      }
    } catch {
      // Told below.
    }
    this.#tell(words.notShared, text)
  }

  /** Saves a file; says why if it can't be. */
  async save(saving: () => Promise<void>): Promise<void> {
    try {
      await saving()
      // A frame without an origin may not be allowed to save, and is not told.
      if (self.origin === 'null') this.#tell(words.savedInFrame)
    } catch (error) {
      this.#tell(sentenceOf(error))
    }
  }

  render() {
    const text = this.#text
    if (text === undefined) return nothing
    const copy = this.#copy
    return html`
      <div role="status">
        <p>${text}</p>
        ${copy === undefined ? nothing : html`<input class="copy" readonly aria-label=${text} .value=${copy} />`}
      </div>
    `
  }

  #tell(text: string | undefined, copy?: string) {
    this.#text = text
    this.#copy = copy
    this.#host.requestUpdate()
  }
}
