// Scenes traced one after another on the calling thread, as a slider asks for them: each
// takes the memory of the one before the last. New memory was a quarter of the time from a
// slider's event to the frame (T 64, 8 heads). What is shown, and what was shown before
// it, to compare with, stay as they are.

import type { Attention, LayerTrace } from '../../engine/index.ts'
import { type Question, type Scene, sceneFrom } from './scene.ts'
import { giveUp } from './stage.ts'

interface Traced {
  readonly trace: LayerTrace
  readonly scene: Scene
}

export class Traces {
  #last: Traced | undefined
  #beforeLast: Traced | undefined

  /** The scene of a question. Throws the engine's AttentionError. */
  sceneOf(question: Question, engine: Attention): Scene {
    const spare = this.#beforeLast
    this.#beforeLast = undefined
    for (const stage of spare?.scene.stages.values() ?? []) giveUp(stage)
    const trace = engine.traceMultiHead(question.layer, { reuse: spare?.trace })
    const scene = sceneFrom(question, trace)
    this.#beforeLast = this.#last
    this.#last = { trace, scene }
    return scene
  }
}
