// Scenes that a worker has traced, and those with more pairs than a trace can hold.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Attention } from '../../../../web/src/engine/index.ts'
import { sceneAside } from '../../../../web/src/lab/model/aside.ts'
import { questionOf, type Scene, sceneOf } from '../../../../web/src/lab/model/scene.ts'
import { isHeld, type Stage, type StageName } from '../../../../web/src/lab/model/stage.ts'
import { type State, start } from '../../../../web/src/lab/model/state.ts'
import { loadEngine } from '../support/engine.ts'

let engine: Attention
beforeAll(async () => {
  engine = await loadEngine({ workers: 2 })
})
afterAll(() => engine.dispose())

const aside = (changes: Partial<State>, signal = new AbortController().signal) =>
  sceneAside(engine, questionOf(engine, { ...start, ...changes }), signal)
const stage = (scene: Scene, name: StageName) => scene.stages.get(name) as Stage

test('a scene from a worker is the one of the calling thread, bit for bit', async () => {
  const changes = { keys: 100, queryHeads: 4, kvHeads: 2, window: true } as const
  const scene = await aside(changes)
  const expected = sceneOf(engine, { ...start, ...changes })
  for (const [name, { values }] of expected.stages) expect(stage(scene, name).values, name).toEqual(values)
})

const pairStages = ['dots', 'scores', 'masked', 'weights'] as const
const tokenStages = ['q', 'k', 'v', 'mixed', 'output'] as const

// 4 · 1100² pairs are more than 2²²; a causal row does not depend on what comes after it.
for (const [title, changes] of [
  ['causal', {}],
  ['grouped, softcap, a window with sinks', { kvHeads: 2, softcap: 5, window: true, windowWidth: 40, sinks: 2 }],
] satisfies [string, Partial<State>][]) {
  test(`beyond what a trace holds, only the pairs are missing: ${title}`, async () => {
    const layer = {
      queryHeads: 4,
      headDim: 5,
      wq: 'random',
      wk: 'random',
      wv: 'random',
      wo: 'random',
      ...changes,
    } as const
    const scene = await aside({ ...layer, keys: 1100 })
    const short = sceneOf(engine, { ...start, ...layer, keys: 150 })
    for (const name of pairStages) expect(isHeld(stage(scene, name)), name).toBe(false)
    for (const name of tokenStages) {
      const [long, expected] = [stage(scene, name), stage(short, name)]
      expect(long.shape.length, name).toBe(expected.shape.length)
      // One sequence, tokens first: the first tokens lie first.
      const first = long.values.subarray(0, expected.values.length)
      if (name === 'q' || name === 'k' || name === 'v') expect(first, name).toEqual(expected.values)
      else {
        // The trace sums in another order than the kernels: 150 terms of about 1, in float32.
        const off = first.reduce(
          (most, value, at) => Math.max(most, Math.abs(value - (expected.values[at] as number))),
          0,
        )
        expect(off, name).toBeLessThan(1e-4)
      }
    }
    expect(scene.kvHeads).toEqual(short.kvHeads)
    const { hiddenBy, strides } = stage(scene, 'masked')
    expect(strides).toEqual([1100 * 1100, 0, 1100, 1])
    expect(hiddenBy?.[1100 + 2], 'query 1 may not see key 2').not.toBe(0)
    expect(hiddenBy?.[2 * 1100 + 1], 'query 2 sees key 1').toBe(0)
  })
}

test('two sequences, more keys than queries: tokens of each where they belong', async () => {
  const layer = { queryHeads: 16, positions: 'padding', keys: 512, shorter: 300 } as const
  const scene = await aside(layer)
  expect(isHeld(stage(scene, 'weights'))).toBe(false)
  const output = await engine.multiHead(scene.layer)
  expect(stage(scene, 'output').values).toEqual(output.output)
  // The second sequence's last tokens are those of the first one's beginning: padded on the left.
  const { values, shape } = stage(scene, 'q')
  const width = (shape[1] as number) * (shape[3] as number)
  const first = values.subarray(0, 300 * width)
  expect(values.subarray((512 + 212) * width)).toEqual(first)
})

test('a question that is no longer asked ends early', async () => {
  const stop = new AbortController()
  const asked = aside({ keys: 1100, queryHeads: 4 }, stop.signal)
  stop.abort()
  await expect(asked).rejects.toThrow(/abort/i)
})
