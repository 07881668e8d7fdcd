// Answers of an engine that are kept.

import { beforeAll, expect, test, vi } from 'vitest'
import type { Attention } from '../../../../web/src/engine/index.ts'
import { type Inputs, remembering } from '../../../../web/src/lab/model/remembering.ts'
import { loadEngine } from '../support/engine.ts'

let engine: Attention
beforeAll(async () => {
  engine = await loadEngine()
})

/** An engine that counts what it is asked. */
const counting = () => ({
  mask: vi.fn<Inputs['mask']>((given) => engine.mask(given)),
  preset: vi.fn<Inputs['preset']>((given) => engine.preset(given)),
})
const window = (width: number, keys = 4) => ({ rule: 'window', width, queries: keys, keys }) as const

test('the same question is asked once, in whatever order others come between', () => {
  const asked = counting()
  const inputs = remembering(asked)
  for (const width of [1, 2, 1, 3, 2, 1]) expect(inputs.mask(window(width))).toEqual(engine.mask(window(width)))
  expect(asked.mask).toHaveBeenCalledTimes(3)
  expect(remembering(asked)).toBe(inputs)

  const start = { preset: 'random', queries: 2, headDim: 2, modelDim: 2, seed: 1 } as const
  expect(inputs.preset(start)).toBe(inputs.preset(start))
  expect(inputs.preset({ ...start, seed: 2 })).toEqual(engine.preset({ ...start, seed: 2 }))
  expect(asked.preset).toHaveBeenCalledTimes(2)
})

test('of many, the latest are kept', () => {
  const asked = counting()
  const inputs = remembering(asked)
  for (let width = 1; width <= 17; ++width) inputs.mask(window(width))
  inputs.mask(window(17))
  inputs.mask(window(2))
  expect(asked.mask).toHaveBeenCalledTimes(17)
  inputs.mask(window(1))
  expect(asked.mask).toHaveBeenCalledTimes(18)
})

test('a large answer is not kept', () => {
  const asked = counting()
  const inputs = remembering(asked)
  for (let time = 0; time < 2; ++time) inputs.mask(window(1, 300))
  expect(asked.mask).toHaveBeenCalledTimes(2)
})

test('a refusal is asked for again', () => {
  const asked = counting()
  const inputs = remembering(asked)
  for (let time = 0; time < 2; ++time) expect(() => inputs.mask(window(0))).toThrow(/width/)
  expect(asked.mask).toHaveBeenCalledTimes(2)
})
