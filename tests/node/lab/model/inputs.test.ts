// What the engine is given: the tokens' vectors, the weights and what was edited.

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Attention } from '../../../../web/src/engine/index.ts'
import { at } from '../../../../web/src/lab/model/field.ts'
import { layerOf, numbersOf } from '../../../../web/src/lab/model/inputs.ts'
import { placesOf } from '../../../../web/src/lab/model/positions.ts'
import { settingsOf } from '../../../../web/src/lab/model/settings.ts'
import { type State, start } from '../../../../web/src/lab/model/state.ts'
import { feature } from '../../../../web/src/lab/vectors.ts'
import { loadEngine } from '../support/engine.ts'
import { requestOf } from '../support/request.ts'
import { smallStates } from '../support/states.ts'

let engine: Attention
beforeAll(async () => {
  engine = await loadEngine()
})

const numbers = (changes: Partial<State>) => numbersOf(engine, settingsOf({ ...start, ...changes }))

test('the six tokens carry the worked example’s vectors, and the weights change nothing', () => {
  const { x, wq, wk, wv, wo } = numbers({})
  const vectors = '0.43 0.15 0.89 0.55 0.87 0.66 0.57 0.85 0.64 0.22 0.58 0.33 0.77 0.25 0.1 0.05 0.8 0.55'
  expect(x).toEqual(Float32Array.from(vectors.split(' '), Number))
  for (const weights of [wq, wk, wv, wo]) expect([...weights]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1])
})

describe('weights', () => {
  test('the identity, where there are more rows than columns, too', () => {
    const { wq } = numbers({ queryHeads: 2, headDim: 2, features: 3 })
    expect([...wq]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])
  })
  test('zero', () => expect([...numbers({ wk: 'zero' }).wk]).toEqual(Array(9).fill(0)))
  test('random ones are the same for the same seed, differ by seed and by matrix, and have two decimals', () => {
    const random = { wq: 'random', wk: 'random', wv: 'random', wo: 'random' } as const
    const one = numbers({ ...random, seed: 1 })
    expect(numbers({ ...random, seed: 1 })).toEqual(one)
    const all = [one, numbers({ ...random, seed: 2 }), numbers({ ...random, seed: 0 })]
    const matrices = all.flatMap(({ wq, wk, wv, wo }) => [wq, wk, wv, wo].map((values) => values.join(' ')))
    expect(new Set(matrices).size).toBe(12)
    for (const value of one.wq) {
      const hundredths = Math.round(value * 100)
      expect(Math.abs(hundredths)).toBeLessThan(100)
      expect(value).toBe(Math.fround(hundredths / 100))
    }
  })
})

test('an edit changes its cell and no other; one outside waits until there is more', () => {
  const wqEdits = new Map([
    [at(1, 2), 0.25],
    [at(5, 5), 7],
  ])
  expect([...numbers({ wqEdits }).wq]).toEqual([1, 0, 0, 0, 1, 0.25, 0, 0, 1])
  expect(numbers({ wqEdits, headDim: 6 }).wq[5 * 6 + 5]).toBe(7)
  const woEdits = new Map([[at(0, 3), 9]])
  expect([...numbers({ woEdits, headDim: 2, valueDim: 4 }).wo.subarray(0, 4)]).toEqual([1, 0, 0, 9])
})

test('the tokens’ vectors can be filled like the weights, of one seed', () => {
  const size = { keys: 2, queryHeads: 1, headDim: 3 }
  expect([...numbers({ ...size, x: 'identity' }).x]).toEqual([1, 0, 0, 0, 1, 0])
  expect([...numbers({ ...size, x: 'zero' }).x]).toEqual([0, 0, 0, 0, 0, 0])
  const random = numbers({ ...size, x: 'random' }).x
  expect(random.length).toBe(6)
  expect(numbers({ ...size, x: 'random' }).x).toEqual(random)
  expect(numbers({ ...size, x: 'random', seed: 1 }).x).not.toEqual(random)
  expect([...numbers({ ...size, x: 'zero', xEdits: new Map([[at(1, 2), 5]]) }).x]).toEqual([0, 0, 0, 0, 0, 5])
  expect(numbers({ x: 'random', keys: 0 }).x.length).toBe(0)
})

test('layers made by hand have vectors of their own, and equal words have equal ones', () => {
  const { x } = numbers({ preset: 'same', text: 'a b a', keys: 3 })
  expect([...x.subarray(6, 9)]).toEqual([...x.subarray(0, 3)])
  expect([...x.subarray(3, 6)]).not.toEqual([...x.subarray(0, 3)])
})

test('the layer holds the tokens’ vectors, edits included, and zeros for padding, in any small state', () => {
  fc.assert(
    fc.property(smallStates, (state) => {
      const settings = settingsOf(state)
      const { queries, keys, features, sequences } = requestOf(state)
      const made = numbersOf(engine, settings)
      const layer = layerOf(settings, made, placesOf(settings), [])
      const value = (token: number, m: number) =>
        state.xEdits.get(at(token, m)) ?? feature(settings.tokens[token] as string, m, state.seed)
      const row = (token: number | undefined) =>
        Array.from({ length: features }, (_, m) => (token === undefined ? 0 : Math.fround(value(token, m))))
      const keyRows = sequences.flatMap(({ keyTokens }) => keyTokens.flatMap(row))
      const queryRows = Array.from({ length: queries }, (_, i) => row(settings.tokens.length - queries + i)).flat()
      if (queries === keys) {
        expect(layer.context).toBeUndefined()
        expect(layer.x).toEqual(Float32Array.from(keyRows))
      } else {
        expect(layer.context).toEqual(Float32Array.from(keyRows))
        expect(layer.x).toEqual(Float32Array.from(queryRows))
      }
    }),
    { numRuns: 200 },
  )
})

test('scale: one, the usual one, or a person’s own', () => {
  const scale = (changes: Partial<State>) => {
    const settings = settingsOf({ ...start, ...changes })
    return layerOf(settings, numbersOf(engine, settings), placesOf(settings), []).scale
  }
  expect(scale({})).toBe(1)
  // Absent: the core's own 1/√D.
  expect(scale({ scale: 'root' })).toBeUndefined()
  expect(scale({ scale: 'own', ownScale: -0.5 })).toBe(-0.5)
})
