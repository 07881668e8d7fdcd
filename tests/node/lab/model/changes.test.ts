// What is read out after a change, what is printed of the settings, and what a refusal
// says: numbers have a minus sign, and what a person wrote stands as it was written.

import { expect, test } from 'vitest'
import { changesOf, settingsSaid } from '../../../../web/src/lab/model/changes.ts'
import { readLink } from '../../../../web/src/lab/model/link.ts'
import { type State, start } from '../../../../web/src/lab/model/state.ts'
import { labWords } from '../../../../web/src/lab/words.ts'

test('negative numbers are read out with a minus sign, a sentence as it is', () => {
  const now = { ...start, text: 'well-known -1', scale: 'own', ownScale: -0.5, queryPositions: [-2, -1] } as const
  expect(changesOf({ ...start, scale: 'own' }, now)).toEqual([
    'Sentence, split on spaces: well-known -1',
    'Query positions: −2,−1',
    'Own scale: −0.5',
  ])
  expect(labWords.announce(now, [], [])).toContain('scale −0.5,')
})

test('a refusal has the minus sign in its own numbers, and quotes the others', () => {
  expect(readLink('sv=-11&qp=-1.5', start).complaints).toEqual([
    '“sv” takes a number from −10 to 10, not “-11”; it was left out.',
    '“qp” takes whole numbers from −1000000 to 1000000 with commas between them, not “-1.5”; it was left out.',
  ])
})

test('printed are the settings that make other numbers than the start, and none that have no say', () => {
  expect(settingsSaid(start)).toEqual([])
  const layer: Partial<State> = { keys: 4, queryHeads: 4, kvHeads: 2, scale: 'own', ownScale: -0.5 }
  const rules: Partial<State> = { causal: false, window: true, windowWidth: 2, prefixLength: 1 }
  const others: Partial<State> = { text: 'a b c d', stage: 'mixed', cell: [2, 1], locked: true, step: 3 }
  const cells = { paintedCells: new Set(['0.0']), wqEdits: new Map([['0.0', 2]]) }
  const state = { ...start, ...layer, ...rules, ...others, ...cells }
  expect(settingsSaid(state)).toEqual([
    'Tokens (keys S): 4',
    'Query heads: 4',
    'KV heads: 2',
    'Scale: own',
    'Own scale: −0.5',
    'Edited Wq: 1 cell',
    'Causal: off',
    'Sliding window: on',
    'Width: 2',
  ])
  expect(settingsSaid({ ...start, painted: true, paintedCells: new Set(['0.0']) })).toEqual([
    'Painted by hand: on',
    'Hidden cells: 1 cell',
  ])
})
