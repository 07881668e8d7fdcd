// The weights of a scene computed once more, by another engine, and put in the place
// of those that the trace has.

import type { Attention } from '../../engine/index.ts'
import { problemOf } from './inputs.ts'
import type { Scene } from './scene.ts'

export interface OtherWeights {
  /** The scene with the other engine's weights. */
  readonly scene: Scene
  /** What computed them in the end. */
  readonly backend: 'wasm' | 'webgpu'
  readonly adapter: string | undefined
  /** Why it was not the one that was wanted. */
  readonly why: string | undefined
  /** The largest difference from the trace. */
  readonly difference: number
}

/** Asks the engine; rejects with its AttentionError. */
export async function weightsBy(engine: Attention, scene: Scene, signal: AbortSignal): Promise<OtherWeights> {
  const { stages, settings, layer } = scene
  const traced = stages.get('weights')
  const values = (name: 'q' | 'k' | 'v') => stages.get(name)?.values ?? new Float32Array()
  const projected = { q: values('q'), k: values('k'), v: values('v') }
  const { weights, backend, why } = await engine.weights(problemOf(layer, settings, projected), { signal })
  const replaced = traced ? new Map([...stages, ['weights', { ...traced, values: weights }] as const]) : stages
  const difference = weights.reduce(
    (most, weight, index) => Math.max(most, Math.abs(weight - (traced?.values[index] ?? 0))),
    0,
  )
  return { scene: { ...scene, stages: replaced }, backend, why, difference, adapter: engine.info.adapter }
}
