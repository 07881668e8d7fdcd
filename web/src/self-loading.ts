// <attention-playground> as an element that gets its own engine: one for all that
// stand on a page, asked for when the first of them is connected.

import firstAnswers from 'virtual:first-answers'
import { type Attention, AttentionError } from './engine/index.ts'
import { AttentionPlayground, defineWidget } from './lab/index.ts'
import { replaying } from './lab/model/recorded.ts'
import { embedWords } from './lab/words.ts'

/** The package's version, put in by the build. */
declare const widgetVersion: string

const name = 'attention-playground'

/**
 * Defines the element. A page that has it already keeps the one it has, for an
 * element cannot be defined twice; of another version it is said on the console.
 */
export function defineSelfLoading(load: () => Promise<Attention>, loadGpu?: () => Promise<Attention>): void {
  const present = customElements.get(name) as { version?: string } | undefined
  if (present) {
    if (present.version !== widgetVersion) console.warn(embedWords.otherVersion(name, present.version, widgetVersion))
    return
  }
  let engine: Promise<Attention> | undefined

  defineWidget(
    class SelfLoading extends AttentionPlayground {
      static readonly version = widgetVersion

      override connectedCallback() {
        super.connectedCallback()
        this.first = replaying(firstAnswers)
        this.loadGpu = loadGpu
        if (!this.engine) void this.#getEngine()
      }

      async #getEngine() {
        engine ??= load()
        try {
          this.engine = await engine
          this.failure = undefined
        } catch (error) {
          // The next element to be connected, or this one again, makes a new try.
          engine = undefined
          this.failure = error instanceof AttentionError ? error.message : embedWords.notLoaded(error)
        }
      }
    },
  )
}
