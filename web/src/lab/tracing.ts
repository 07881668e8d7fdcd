// Keeps the scene of the widget's state: asks the engine, at once for a small layer and
// in a worker for a large one, and drops answers to questions that are no longer asked.

import type { Attention } from '../engine/index.ts'
import type { Range } from './matrix/range.ts'
import { sceneAside } from './model/aside.ts'
import { type Comparison, compareCached } from './model/decoding.ts'
import { type OtherWeights, weightsBy } from './model/other-engine.ts'
import { NotRecorded } from './model/recorded.ts'
import { isPrompt, type Question, questionOf, type Scene, sceneFrom } from './model/scene.ts'
import { isHeld, type Stage, type StageName } from './model/stage.ts'
import { type State, sameNumbers } from './model/state.ts'
import { Traces } from './model/traces.ts'
import { rangeOfStage } from './stage-look.ts'
import { matrixWords as words } from './words.ts'

interface Host {
  readonly state: State
  /** Loads an engine that computes on the graphics card, if there is such a choice. */
  readonly loadGpu: (() => Promise<Attention>) | undefined
  requestUpdate(): void
}

export class Tracing {
  readonly #host: Host
  /** As the engine has traced it; undefined while there is none, or it was refused. */
  #traced: Scene | undefined
  readonly #traces = new Traces()
  #waiting: Question | undefined
  /** Ends the work on a question that is no longer asked. */
  #stale = new AbortController()
  #gpu: Promise<Attention> | undefined
  #askingOther = new AbortController()
  /** The ends of the stages' legends. */
  ranges: ReadonlyMap<StageName, Range> = new Map()
  /** Of a step of decoding, how it compares with the whole. */
  comparison: Comparison | undefined
  /** Why there is no scene, as a sentence. */
  refusal: string | undefined
  /** Whether a worker is at it. */
  busy = false
  /** Whether a large scene, where there was none, has only begun to be shown: all at once would keep a person waiting. */
  isBegun = false
  /** The weights by the other engine, or why there are none. */
  other: OtherWeights | undefined
  otherRefusal: string | undefined

  constructor(host: Host) {
    this.#host = host
  }

  /** What is shown: where another engine was asked for the weights, with its weights. */
  get scene(): Scene | undefined {
    return this.other?.scene ?? this.#traced
  }

  /** Asks about the host's state: `engine`, or until it is there the answers that were recorded of it. */
  ask(engine: Attention | undefined, recorded: Attention | undefined) {
    const asked = engine ?? recorded
    if (!asked) return
    this.#waiting = undefined
    this.refusal = undefined
    this.#stale.abort()
    try {
      const question = questionOf(asked, this.#host.state)
      if (isPrompt(question)) {
        const scene = engine
          ? this.#traces.sceneOf(question, engine)
          : sceneFrom(question, asked.traceMultiHead(question.layer))
        this.#adopt(scene, new Map([...scene.stages].map(([name, stage]) => [name, rangeOfStage(stage)])), engine)
      } else if (engine) {
        this.#waiting = question
        void this.#askAside(engine)
      }
    } catch (error) {
      this.#refuse(error)
    }
  }

  /** While a worker traces, only the latest question waits. */
  async #askAside(engine: Attention) {
    if (this.busy) return
    this.busy = true
    while (this.#waiting) {
      const question = this.#waiting
      const isWanted = () => sameNumbers(question.settings.state, this.#host.state)
      this.#waiting = undefined
      this.#stale = new AbortController()
      const { signal } = this.#stale
      try {
        const scene = await sceneAside(engine, question, signal)
        const ranges = await rangesAside(scene, signal)
        if (!isWanted()) continue
        this.isBegun = this.#traced === undefined
        try {
          this.#adopt(scene, ranges, engine)
          await nextTask()
        } finally {
          this.isBegun = false
          this.#host.requestUpdate()
        }
      } catch (error) {
        // One that was given up may be asked again by now, and waits.
        if (!signal.aborted && isWanted()) this.#refuse(error)
      }
    }
    this.busy = false
    this.#host.requestUpdate()
  }

  #adopt(scene: Scene, ranges: ReadonlyMap<StageName, Range>, engine: Attention | undefined) {
    this.#traced = scene
    this.refusal = undefined
    this.ranges = ranges
    const decodes = scene.settings.state.positions === 'decoding'
    this.comparison = engine && decodes ? compareCached(engine, scene) : undefined
    void this.askOther()
    this.#host.requestUpdate()
  }

  #refuse(error: unknown) {
    this.#traced = undefined
    this.#askingOther.abort()
    this.other = undefined
    if (error instanceof NotRecorded) return
    this.refusal = sentenceOf(error)
    this.#host.requestUpdate()
  }

  /** Has the weights computed by the engine that the state names, too. */
  async askOther() {
    this.other = undefined
    this.otherRefusal = undefined
    // The latest wins: what waits for an earlier scene gives up its place.
    this.#askingOther.abort()
    this.#askingOther = new AbortController()
    const { signal } = this.#askingOther
    const { state, loadGpu } = this.#host
    const scene = this.#traced
    if (state.weightsBy !== 'webgpu' || !loadGpu || !scene) return
    if (!isHeld(scene.stages.get('weights') as Stage)) {
      this.otherRefusal = words.notHeld
      return
    }
    try {
      this.#gpu ??= loadGpu()
      const other = await weightsBy(await this.#gpu, scene, signal)
      signal.throwIfAborted()
      this.other = other
    } catch (error) {
      // The next question makes a new try.
      if (error !== signal.reason) this.#gpu = undefined
      if (signal.aborted) return
      this.otherRefusal = sentenceOf(error)
    }
    this.#host.requestUpdate()
  }
}

const nextTask = () => new Promise((resolve) => setTimeout(resolve))

/** The ends of the legends of a large scene, a task for each, and the caller's work in one of its own: the page lives on between them. */
async function rangesAside({ stages }: Scene, signal: AbortSignal): Promise<Map<StageName, Range>> {
  const ranges = new Map<StageName, Range>()
  for (const [name, stage] of stages) {
    if (stage.hiddenBy || stage.axes.includes('S')) await nextTask()
    signal.throwIfAborted()
    ranges.set(name, rangeOfStage(stage))
  }
  await nextTask()
  signal.throwIfAborted()
  return ranges
}

export const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
