// The state as an address: all of it, only what differs, and what is bad by name.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linkOf, readLink, withText } from '../../../../web/src/lab/model/link.ts'
import { agree, fields, type Name, names, start } from '../../../../web/src/lab/model/state.ts'
import { changes, states } from '../support/states.ts'

test('any state comes back from its link, from wherever a lesson starts', () => {
  fc.assert(
    fc.property(states, states, (state, lesson) => {
      const read = readLink(linkOf(state, lesson), lesson)
      expect(read.complaints).toEqual([])
      expect(read.state).toEqual(state)
    }),
    { numRuns: 300 },
  )
})

test('a link says only what differs', () => {
  fc.assert(
    fc.property(changes, (changed) => {
      const state = { ...start, ...changed }
      const keys = [...new URLSearchParams(linkOf(state, start)).keys()]
      // With another sentence there are as many tokens as it has words.
      const from = withText(start, state.text)
      const differs = (name: Name) => !agree(name, state, name === 'text' ? start : from)
      expect(keys).toEqual(names.filter(differs).map((name) => fields[name].key))
    }),
    { numRuns: 200 },
  )
  expect(linkOf(start, start)).toBe('')
  expect(linkOf({ ...start, queryHeads: 4, kvHeads: 2 }, start)).toBe('h=4&kv=2')
})

test('a lesson that has fixed a count can be left to follow again', () => {
  const lesson = { ...start, queryHeads: 4, kvHeads: 2 }
  const link = linkOf({ ...lesson, kvHeads: undefined }, lesson)
  expect(link).toBe('kv=')
  expect(readLink(link, lesson).state.kvHeads).toBeUndefined()
})

describe('a bad link', () => {
  test('says what is bad, and the rest counts', () => {
    const { state, complaints } = readLink('h=4&kv=three&s=5&colour=red&set=magic', start)
    expect(state).toEqual({ ...start, queryHeads: 4, keys: 5 })
    expect(complaints).toEqual([
      '“kv” takes a whole number from 1 to 16, not “three”; it was left out.',
      'There is nothing named “colour”; it was left out.',
      '“set” takes one of example, previous, first, same, not “magic”; it was left out.',
    ])
  })

  test('is encoded otherwise than an address', () => {
    const { state, complaints } = readLink('text=%E0%A4%A&h=2', start)
    expect(state.queryHeads).toBe(2)
    expect(complaints).toEqual([
      '“text=%E0%A4%A” is not encoded as an address has to be; some of its letters may be others.',
    ])
  })

  test('names that all objects have are no fields and no values', () => {
    const query = '__proto__=1&constructor=2&causal=constructor&pos=toString&scale=__proto__&h=__proto__'
    const { state, complaints } = readLink(query, start)
    expect(state).toEqual(start)
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype)
    expect(complaints).toHaveLength(6)
  })

  test('long rubbish is cut short', () => {
    const { complaints } = readLink(`h=${'9'.repeat(5000)}&${'x'.repeat(5000)}=1`, start)
    expect(complaints).toHaveLength(2)
    for (const sentence of complaints) expect(sentence.length).toBeLessThan(140)
  })

  test('whatever it is, each of its parts counts or is complained of, and the state stays in its ranges', () => {
    const key = fc.oneof(fc.constantFrom(...names.map((name) => fields[name].key)), fc.string({ maxLength: 5 }))
    const parts = fc.array(fc.tuple(key, fc.string({ maxLength: 8 })), { maxLength: 6 })
    fc.assert(
      fc.property(parts, (parts) => {
        const { state, complaints } = readLink(new URLSearchParams(parts as [string, string][]).toString(), start)
        expect(complaints.length).toBeLessThanOrEqual(parts.length)
        // What was taken can be written and read: it is a value of its field.
        expect(readLink(linkOf(state, start), start)).toEqual({ state, complaints: [] })
      }),
      { numRuns: 500 },
    )
  })
})

test('of a key that stands twice the last one counts, and it is said', () => {
  const { state, complaints } = readLink('s=3&s=4&h=2', start)
  expect(state.keys).toBe(4)
  expect(complaints).toEqual(['“s” stands more than once; only the last one is read.'])
})

test.each(['9', '1,2,3', ''])('a cell has a row and a column: “%s” is none', (text) => {
  const { state, complaints } = readLink(`cell=${text}`, start)
  expect(state.cell).toEqual(start.cell)
  expect(complaints).toEqual([
    `“cell” takes 2 whole numbers from 0 to 2047 with commas between them, not “${text}”; it was left out.`,
  ])
})

test.each(['1,,2', ',1', '1,x', '1.5'])('a list with a gap or something else in it is refused: “%s”', (text) => {
  expect(readLink(`qp=${text}`, start).complaints).toHaveLength(1)
})

test('a list may have spaces for its commas', () => {
  expect(readLink('qp=1 2, 3 , -4', start)).toEqual({
    state: { ...start, queryPositions: [1, 2, 3, -4] },
    complaints: [],
  })
})

test('a sentence has as many tokens as words, unless the link says otherwise', () => {
  expect(readLink('text=a+b+c', start).state.keys).toBe(3)
  expect(readLink('text=a+b+c&s=6', start).state.keys).toBe(6)
  expect(readLink('text=', start).state.keys).toBe(0)
  expect(linkOf({ ...start, text: 'a b c', keys: 3 }, start)).toBe('text=a+b+c')
  expect(linkOf({ ...start, text: 'a b c' }, start)).toBe('text=a+b+c&s=6')
})
