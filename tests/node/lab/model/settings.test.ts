// The state as it is in force: counts in their ranges, and the sizes that follow.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countOf, permitted, settingsOf } from '../../../../web/src/lab/model/settings.ts'
import { type CountName, fields, names, type State, start } from '../../../../web/src/lab/model/state.ts'
import { requestOf } from '../support/request.ts'
import { smallStates, states } from '../support/states.ts'

const counts = names.filter((name) => fields[name].kind === 'count') as CountName[]
const sizes = (changes: Partial<State>) => {
  const { queries, keys } = settingsOf({ ...start, ...changes })
  return [queries, keys]
}

test('KV heads: only divisors of the query heads, the largest that is not above the wish', () => {
  const of = (queryHeads: number, kvHeads?: number) => {
    const state = { ...start, queryHeads, kvHeads }
    return [permitted('kvHeads', state), countOf('kvHeads', state)]
  }
  expect(of(6)).toEqual([[1, 2, 3, 6], 6])
  expect(of(6, 4)).toEqual([[1, 2, 3, 6], 3])
  expect(of(6, 16)).toEqual([[1, 2, 3, 6], 6])
  expect(of(7, 6)).toEqual([[1, 7], 1])
  expect(of(16, 8)).toEqual([[1, 2, 4, 8, 16], 8])
})

test('what is absent follows another field', () => {
  const { kvHeads, valueDim, features, queries } = settingsOf({ ...start, keys: 9, queryHeads: 4, headDim: 5 })
  expect([queries, kvHeads, valueDim, features]).toEqual([9, 4, 5, 20])
  const given = settingsOf({ ...start, queryHeads: 4, kvHeads: 2, headDim: 5, valueDim: 2, features: 3, queries: 4 })
  expect([given.queries, given.kvHeads, given.valueDim, given.features]).toEqual([4, 2, 2, 3])
  // 16 heads of 64 would have 1024 features.
  expect(settingsOf({ ...start, queryHeads: 16, headDim: 64 }).features).toBe(256)
})

describe('queries and keys of every kind of request', () => {
  test('training: all at once', () => expect(sizes({ keys: 8 })).toEqual([8, 8]))
  test('training with fewer queries: the last of them', () => expect(sizes({ keys: 8, queries: 3 })).toEqual([3, 8]))
  test('own positions', () => expect(sizes({ keys: 8, queries: 10, positions: 'own' })).toEqual([10, 8]))
  test('decoding: one query against what is cached by then', () => {
    expect(sizes({ keys: 58, positions: 'decoding', step: 57 })).toEqual([1, 58])
    expect(sizes({ keys: 58, positions: 'decoding', step: 0 })).toEqual([1, 1])
    expect(sizes({ keys: 5, positions: 'decoding', step: 99 })).toEqual([1, 5])
  })
  test('prefill: a chunk against itself and what is cached before', () => {
    expect(sizes({ keys: 48, positions: 'prefill', chunkStart: 40, chunkSize: 8 })).toEqual([8, 48])
    expect(sizes({ keys: 48, positions: 'prefill', chunkStart: 40, chunkSize: 20 })).toEqual([8, 48])
    expect(sizes({ keys: 48, positions: 'prefill', chunkStart: 90, chunkSize: 20 })).toEqual([1, 48])
  })
  test('batches of two: as many queries as keys, whatever was said', () => {
    for (const positions of ['ragged', 'padding'] as const) {
      expect(sizes({ keys: 7, queries: 3, positions })).toEqual([7, 7])
      expect(settingsOf({ ...start, positions }).batch).toBe(2)
    }
    expect(settingsOf(start).batch).toBe(1)
  })
  test('without tokens there is nothing, of any kind', () => {
    for (const positions of ['training', 'decoding', 'prefill', 'ragged', 'padding', 'own'] as const) {
      expect(sizes({ keys: 0, positions }), positions).toEqual([0, 0])
    }
  })
})

test('as many tokens as the longer of queries and keys', () => {
  expect(settingsOf({ ...start, keys: 3 }).tokens).toEqual(['Your', 'journey', 'starts'])
  expect(settingsOf({ ...start, text: 'a b', keys: 4 }).tokens).toEqual(['a', 'b', 'starts', 'with'])
  expect(settingsOf({ ...start, keys: 2, queries: 4 }).tokens).toHaveLength(4)
})

test('a count in force is one of those that are permitted, in any state', () => {
  fc.assert(
    fc.property(states, (state) => {
      for (const name of counts) {
        const allowed = permitted(name, state)
        expect(allowed.length, name).toBeGreaterThan(0)
        expect(allowed, name).toContain(countOf(name, state))
        // What is permitted as it stands is not changed.
        const wish = state[name]
        if (wish !== undefined && allowed.includes(wish)) expect(countOf(name, state), name).toBe(wish)
      }
    }),
    { numRuns: 60 },
  )
})

test('the sizes are those of the request, in any small state', () => {
  fc.assert(
    fc.property(smallStates, (state) => {
      const { batch, queryHeads, kvHeads, queries, keys, headDim, valueDim, features, tokens } = settingsOf(state)
      const request = requestOf(state)
      expect({ batch, queryHeads, kvHeads, queries, keys, headDim, valueDim, features }).toEqual(
        Object.fromEntries(
          (['batch', 'queryHeads', 'kvHeads', 'queries', 'keys', 'headDim', 'valueDim', 'features'] as const).map(
            (name) => [name, request[name]],
          ),
        ),
      )
      expect(tokens).toHaveLength(Math.max(queries, keys))
    }),
    { numRuns: 300 },
  )
})
