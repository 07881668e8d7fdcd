// What follows from what a person does.

import { expect, test } from 'vitest'
import { editsLostBy, given } from '../../../../web/src/lab/model/actions.ts'
import { fields, start } from '../../../../web/src/lab/model/state.ts'

test('edited vectors stay with the tokens that are where they were, and go with the others', () => {
  const xEdits = new Map([
    ['0.1', 1],
    ['1.0', 2],
    ['5.2', 3],
  ])
  const state = { ...start, xEdits }
  const left = (text: string) => [...(given('text', text, state).xEdits ?? [])].map(([cell]) => cell)
  expect(left(`${start.text} now`)).toEqual(['0.1', '1.0', '5.2'])
  expect(left('Your travel starts with one step')).toEqual(['0.1', '5.2'])
  expect(left('Your journey ends')).toEqual(['0.1', '1.0'])
  expect(left('To be or not to be')).toEqual([])
})

test('where queries go on after the words, their edits stay with the story', () => {
  const state = { ...start, queries: 8, xEdits: new Map([['7.0', 1]]) }
  expect([...(given('text', start.text, state).xEdits ?? [])]).toEqual([['7.0', 1]])
})

test('a matrix that is filled anew loses its edited cells, and a preset those of all', () => {
  const cells = (count: number) => new Map(Array.from({ length: count }, (_, row) => [`${row}.0`, 1]))
  const state = { ...start, xEdits: cells(1), wqEdits: cells(3) }
  expect(editsLostBy('wq', state)).toEqual([{ matrix: 'wq', count: 3 }])
  expect(editsLostBy('preset', state)).toEqual([
    { matrix: 'x', count: 1 },
    { matrix: 'wq', count: 3 },
  ])
  expect(editsLostBy('wk', state)).toEqual([])
  expect(editsLostBy('keys', state)).toEqual([])
  for (const name of ['wq', 'preset'] as const) {
    const after = { ...state, ...given(name, fields[name].start, state) }
    expect(editsLostBy(name, after)).toEqual([])
  }
})
