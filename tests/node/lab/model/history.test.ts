// Undo and redo, held against a list of states and a place in it.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { begin, changed, type History, redone, undone } from '../../../../web/src/lab/model/history.ts'
import { type State, start } from '../../../../web/src/lab/model/state.ts'

const keys = (history: History) => history.now.state.keys
const to = (changes: Partial<State>): State => ({ ...start, ...changes })

describe('changes that are one step', () => {
  test('a slider that moves on within a moment', () => {
    let history = begin(start)
    for (let index = 1; index <= 5; ++index) history = changed(history, to({ keys: 6 + index }), 100 * index)
    expect([keys(history), history.past.length]).toEqual([11, 1])
    expect(keys(undone(history))).toBe(6)
  })

  test('what is said to join, however late; what is said not to, however soon', () => {
    const first = changed(begin(start), to({ keys: 7 }), 0, false)
    const joined = changed(first, to({ keys: 8 }), 60_000, true)
    expect(keys(undone(joined))).toBe(6)
    expect(keys(undone(changed(joined, to({ keys: 9 }), 60_001, false)))).toBe(8)
  })

  test('a sentence that is typed, at whose words tokens come', () => {
    let history = begin(start)
    const typed = [to({ text: 'a' }), to({ text: 'a ' }), to({ text: 'a b', keys: 2 }), to({ text: 'a bc', keys: 2 })]
    for (const [index, state] of typed.entries()) history = changed(history, state, 100 * index)
    expect(history.past.length).toBe(1)
    expect(undone(history).now.state).toEqual(start)
  })

  test('which cell is looked at is no step, and takes no redo away', () => {
    const before = undone(changed(begin(start), to({ keys: 7 }), 0))
    const looking = changed(before, to({ cell: [2, 1], locked: true }), 5000)
    expect(looking.now.state).toEqual(to({ cell: [2, 1], locked: true }))
    expect(looking.past.length).toBe(0)
    expect(keys(redone(looking))).toBe(7)
  })

  test('not when it rests between', () => {
    const history = changed(changed(begin(start), to({ keys: 7 }), 0), to({ keys: 8 }), 10_000)
    expect(keys(undone(history))).toBe(7)
  })

  test('not when another field is touched', () => {
    const history = changed(changed(begin(start), to({ keys: 7 }), 0), to({ keys: 7, headDim: 4 }), 1)
    expect(undone(history).now.state).toEqual(to({ keys: 7 }))
  })

  test('not across an undo', () => {
    const history = changed(undone(changed(begin(start), to({ keys: 7 }), 0)), to({ keys: 8 }), 1)
    expect(keys(undone(history))).toBe(6)
  })

  test('a slider that comes back to where it was leaves nothing to undo', () => {
    const there = changed(changed(begin(start), to({ headDim: 4 }), 0), to({ headDim: 4, keys: 7 }), 5000)
    const back = changed(there, to({ headDim: 4 }), 5100)
    expect(back.now.state).toEqual(to({ headDim: 4 }))
    expect(undone(back).now.state).toEqual(start)
  })
})

test('what changes nothing is no step', () => {
  const history = begin(start)
  expect(changed(history, { ...start, cell: [...start.cell] }, 0)).toBe(history)
})

test('a change after an undo forgets what was undone', () => {
  const history = changed(undone(changed(begin(start), to({ keys: 7 }), 0)), to({ headDim: 4 }), 1)
  expect(redone(history).now.state).toEqual(to({ headDim: 4 }))
})

test('any changes, undos and redos give what a list of states gives', () => {
  type Move = 'undo' | 'redo' | number
  const moves = fc.array(fc.oneof(fc.constantFrom<Move>('undo', 'redo'), fc.nat(40)), { maxLength: 60 })
  fc.assert(
    fc.property(moves, (moves) => {
      let history = begin(start)
      let list = [start.keys]
      let place = 0
      moves.forEach((move, index) => {
        if (move === 'undo') {
          history = undone(history)
          place = Math.max(place - 1, 0)
        } else if (move === 'redo') {
          history = redone(history)
          place = Math.min(place + 1, list.length - 1)
        } else {
          // Each a long time after the one before.
          history = changed(history, to({ keys: move }), 10_000 * (index + 1))
          if (move !== list[place]) {
            list = [...list.slice(0, place + 1), move]
            place += 1
          }
        }
        expect(keys(history)).toBe(list[place])
        expect([history.past.length, history.future.length]).toEqual([place, list.length - 1 - place])
      })
    }),
  )
})

test('it goes back 200 steps and holds no more', () => {
  let history = begin(start)
  for (let index = 0; index < 250; ++index) history = changed(history, to({ keys: index }), 10_000 * index)
  expect(history.past).toHaveLength(200)
  for (let index = 0; index < 300; ++index) history = undone(history)
  expect(keys(history)).toBe(49)
})
