// Scenes in the memory of earlier ones.

import { beforeAll, expect, test } from 'vitest'
import type { Attention } from '../../../../web/src/engine/index.ts'
import { questionOf, type Scene, sceneOf } from '../../../../web/src/lab/model/scene.ts'
import { isGivenUp } from '../../../../web/src/lab/model/stage.ts'
import { type State, start } from '../../../../web/src/lab/model/state.ts'
import { Traces } from '../../../../web/src/lab/model/traces.ts'
import { loadEngine } from '../support/engine.ts'

let engine: Attention
beforeAll(async () => {
  engine = await loadEngine()
})

const asked = (changes: Partial<State>) => questionOf(engine, { ...start, ...changes })
const scaled = (ownScale: number) => ({ scale: 'own', ownScale }) as const
const valuesOf = ({ stages }: Scene) => [...stages].map(([name, { values }]) => [name, Array.from(values)])
const fresh = (changes: Partial<State>) => valuesOf(sceneOf(engine, { ...start, ...changes }))

test('every scene is the one that was asked for, and the one before it stays as it is', () => {
  const traces = new Traces()
  const scales = [0.1, 0.2, 0.3, 0.4, 0.5]
  const scenes = scales.map((scale, index) => {
    const scene = traces.sceneOf(asked(scaled(scale)), engine)
    expect(valuesOf(scene)).toEqual(fresh(scaled(scale)))
    return { scene, index }
  })
  expect(valuesOf(scenes[3]?.scene as Scene)).toEqual(fresh(scaled(0.4)))
})

test('what was written over is said to be', () => {
  const traces = new Traces()
  const scenes = [0.1, 0.2, 0.3].map((scale) => traces.sceneOf(asked(scaled(scale)), engine))
  const weights = scenes.map(({ stages }) => stages.get('weights'))
  expect(weights.map((stage) => stage && isGivenUp(stage))).toEqual([true, false, false])
  expect(weights[2]?.values).toBe(weights[0]?.values)
  expect(weights[1]?.values).not.toBe(weights[0]?.values)
})

test('layers of other sizes get memory of their own', () => {
  const traces = new Traces()
  const sizes = [{ keys: 6 }, { keys: 3, queryHeads: 2 }, { keys: 5 }, { keys: 6 }, { keys: 0 }, { keys: 6 }]
  for (const size of sizes) expect(valuesOf(traces.sceneOf(asked(size), engine))).toEqual(fresh(size))
})

test('a question that is refused leaves the last scene as it is', () => {
  const traces = new Traces()
  traces.sceneOf(asked(scaled(0.1)), engine)
  const last = traces.sceneOf(asked(scaled(0.2)), engine)
  const question = asked(scaled(0.3))
  const refused = { ...question, layer: { ...question.layer, headDim: 0 } }
  for (let time = 0; time < 3; ++time) expect(() => traces.sceneOf(refused, engine)).toThrow()
  expect(valuesOf(last)).toEqual(fresh(scaled(0.2)))
  expect(valuesOf(traces.sceneOf(asked(scaled(0.4)), engine))).toEqual(fresh(scaled(0.4)))
})
