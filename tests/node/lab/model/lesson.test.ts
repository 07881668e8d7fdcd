// Where a lesson starts.

import { expect, test } from 'vitest'
import { Lesson } from '../../../../web/src/lab/model/lesson.ts'
import { start } from '../../../../web/src/lab/model/state.ts'

test('without attributes it is the widget’s own start', () => {
  const lesson = new Lesson()
  expect(lesson.start).toEqual(start)
  expect(lesson.complaints).toEqual([])
})

test('an attribute is a field, until it is removed', () => {
  const lesson = new Lesson()
  lesson.take('queryHeads', '4')
  lesson.take('window', '')
  expect(lesson.start).toEqual({ ...start, queryHeads: 4, window: true })
  lesson.take('queryHeads', null)
  expect(lesson.start).toEqual({ ...start, window: true })
})

test('what a field cannot be is refused by the attribute’s name, and forgotten when it is mended', () => {
  const lesson = new Lesson()
  lesson.take('queryHeads', 'many')
  expect(lesson.start).toEqual(start)
  expect(lesson.refusals).toEqual(['“query-heads” takes a whole number from 1 to 16, not “many”; it was left out.'])
  lesson.take('queryHeads', '2')
  expect(lesson.complaints).toEqual([])
})

test('what does not go with the rest is said, and is no refusal', () => {
  const lesson = new Lesson()
  lesson.take('queryHeads', '4')
  lesson.take('kvHeads', '3')
  expect(lesson.refusals).toEqual([])
  expect(lesson.complaints).toEqual(['“kv-heads” has to divide the 4 query heads, and 3 does not; it is 2 here.'])
})

test('a sentence has as many tokens as words, unless an attribute says otherwise, whichever comes first', () => {
  const lesson = new Lesson()
  lesson.take('text', 'a b c')
  expect(lesson.start).toEqual({ ...start, text: 'a b c', keys: 3 })
  lesson.take('keys', '5')
  expect(lesson.start.keys).toBe(5)
  lesson.take('text', 'a b')
  expect(lesson.start.keys).toBe(5)
  lesson.take('keys', null)
  expect(lesson.start.keys).toBe(2)
  lesson.take('text', null)
  expect(lesson.start).toEqual(start)
})
