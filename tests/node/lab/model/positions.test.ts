// Where queries and keys stand, for every kind of request.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { areUsual, placesOf } from '../../../../web/src/lab/model/positions.ts'
import { settingsOf } from '../../../../web/src/lab/model/settings.ts'
import { type State, start } from '../../../../web/src/lab/model/state.ts'
import { requestOf } from '../support/request.ts'
import { smallStates } from '../support/states.ts'

const places = (changes: Partial<State>) => placesOf(settingsOf({ ...start, ...changes }))
const none = undefined

test('training: each where it stands', () => {
  expect(places({ keys: 3 })).toEqual([
    {
      queryPositions: [0, 1, 2],
      keyPositions: [0, 1, 2],
      padding: [false, false, false],
      tokens: [0, 1, 2],
    },
  ])
})

test('causal-T<S: fewer queries are the last positions, more of them begin below zero', () => {
  expect(places({ keys: 4, queries: 2 })[0]).toMatchObject({ queryPositions: [2, 3], tokens: [0, 1, 2, 3] })
  expect(places({ keys: 2, queries: 4 })[0]).toMatchObject({ queryPositions: [-2, -1, 0, 1], tokens: [2, 3] })
})

test('decode-offset: one query at position 57 against 58 keys', () => {
  const [place] = places({ keys: 60, positions: 'decoding', step: 57 })
  expect(place?.queryPositions).toEqual([57])
  expect(place?.keyPositions).toEqual(Array.from({ length: 58 }, (_, i) => i))
})

test('chunked prefill: queries 40 to 47 against keys 0 to 47', () => {
  const [place] = places({ keys: 48, positions: 'prefill', chunkStart: 40, chunkSize: 8 })
  expect(place?.queryPositions).toEqual([40, 41, 42, 43, 44, 45, 46, 47])
  expect(place?.keyPositions).toEqual(Array.from({ length: 48 }, (_, i) => i))
})

test('a ragged batch: the second sequence ends early', () => {
  expect(places({ keys: 4, positions: 'ragged', shorter: 3 })[1]).toEqual({
    queryPositions: [0, 1, 2, 3],
    keyPositions: [0, 1, 2, 3],
    padding: [false, false, false, true],
    tokens: [0, 1, 2, none],
  })
})

test('left-pad: the second sequence begins at position 0 wherever its slot is', () => {
  expect(places({ keys: 4, positions: 'padding', shorter: 2 })[1]).toEqual({
    queryPositions: [-2, -1, 0, 1],
    keyPositions: [-2, -1, 0, 1],
    padding: [true, true, false, false],
    tokens: [none, none, 0, 1],
  })
})

describe('own positions', () => {
  const own = (changes: Partial<State>) => places({ positions: 'own', keys: 4, ...changes })[0]

  test('absent, they are the usual ones', () => {
    expect(own({})).toEqual(places({ keys: 4 })[0])
  })
  test('a row that is begun goes on, and what is too many is left out', () => {
    expect(own({ queryPositions: [7], keyPositions: [3, 1] })).toMatchObject({
      queryPositions: [7, 8, 9, 10],
      keyPositions: [3, 1, 2, 3],
    })
    expect(own({ queryPositions: [5, 4, 3, 2, 1, 0] })?.queryPositions).toEqual([5, 4, 3, 2])
  })
})

test('only where every sequence stands as usual may the core take its own positions', () => {
  const usual = (positions: State['positions']) => areUsual(settingsOf({ ...start, positions }))
  expect((['training', 'decoding', 'prefill'] as const).map(usual)).toEqual([true, true, true])
  expect((['ragged', 'padding', 'own'] as const).map(usual)).toEqual([false, false, false])
})

test('positions and tokens are those of the request, in any small state', () => {
  fc.assert(
    fc.property(smallStates, (state) => {
      const { sequences } = requestOf(state)
      expect(placesOf(settingsOf(state))).toEqual(
        sequences.map(({ queryPositions, keyPositions, keyTokens }) => ({
          queryPositions,
          keyPositions,
          padding: keyTokens.map((token) => token === undefined),
          tokens: keyTokens,
        })),
      )
    }),
    { numRuns: 300 },
  )
})
