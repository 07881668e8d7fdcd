// A scene that takes longer than a frame: traced in a worker. Where the layer has more
// pairs of queries and keys than a trace can hold, nobody holds them: the output comes
// from the kernels that never have all pairs at once, and stages of pairs stay empty.

import type { Attention } from '../../engine/index.ts'
import { problemOf } from './inputs.ts'
import { type Question, type Scene, sceneFrom, type Traced } from './scene.ts'

/** Rejects with the engine's AttentionError, or with the signal's reason. */
export async function sceneAside(engine: Attention, question: Question, signal: AbortSignal): Promise<Scene> {
  try {
    return sceneFrom(question, await engine.traceMultiHeadAside(question.layer, { signal }))
  } catch (error) {
    if ((error as { code?: string }).code !== 'too-large') throw error
    return sceneFrom(question, await withoutPairs(engine, question, signal))
  }
}

async function withoutPairs(engine: Attention, question: Question, signal: AbortSignal): Promise<Traced> {
  const { layer, settings } = question
  const { queries, keys } = settings
  const x = layer.x as Float32Array
  const ofQueries = await projected(engine, question, x, queries, signal)
  const ofKeys = layer.context
    ? await projected(engine, question, layer.context as Float32Array, keys, signal)
    : ofQueries
  const { q, kvHeads } = ofQueries
  const { k, v } = ofKeys
  const heads = await engine.attend(problemOf(layer, settings, { q, k, v }), { signal })
  const { output } = await engine.multiHeadAside(layer, { signal })
  const none = new Float32Array()
  const pairs = { dots: none, scores: none, capped: none, masked: none, weights: none }
  return { ...{ q, k, v, ...pairs }, heads: heads.output, output, kvHeads }
}

type Projected = Pick<Traced, 'q' | 'k' | 'v' | 'kvHeads'>

/** Tokens of a block, so that the pairs among them are few. */
const blockTokens = 64

/**
 * The queries, keys and values of `count` tokens [B, count, M]: [B, count, heads · D]. A
 * token's own depend on no other token, so they are those that it has in a layer of a
 * few.
 */
async function projected(
  engine: Attention,
  { layer, settings }: Question,
  tokens: Float32Array,
  count: number,
  signal: AbortSignal,
): Promise<Projected> {
  const { batch, queryHeads, kvHeads, headDim, valueDim, features } = settings
  const { wq, wk, wv, wo } = layer
  const room = (width: number) => ({ width, values: new Float32Array(batch * count * width) })
  const whole = { q: room(queryHeads * headDim), k: room(kvHeads * headDim), v: room(kvHeads * valueDim) }
  let kvHeadsOf: readonly number[] = []
  for (let first = 0; first < count; first += blockTokens) {
    const size = Math.min(blockTokens, count - first)
    const x = new Float32Array(batch * size * features)
    for (let b = 0; b < batch; ++b) {
      const from = (b * count + first) * features
      x.set(tokens.subarray(from, from + size * features), b * size * features)
    }
    const block = await engine.traceMultiHeadAside(
      { ...{ x, wq, wk, wv, wo, batch, queryHeads, kvHeads, headDim, valueDim }, queries: size, modelDim: features },
      { signal },
    )
    kvHeadsOf = block.kvHeads
    for (const name of ['q', 'k', 'v'] as const) {
      const { width, values } = whole[name]
      for (let b = 0; b < batch; ++b) {
        const part = block[name].subarray(b * size * width, (b + 1) * size * width)
        values.set(part, (b * count + first) * width)
      }
    }
  }
  return { q: whole.q.values, k: whole.k.values, v: whole.v.values, kvHeads: kvHeadsOf }
}
