// What follows from what a person does.

import { expect, test } from 'vitest'
import { given } from '../../../../web/src/lab/model/actions.ts'
import { start } from '../../../../web/src/lab/model/state.ts'

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
