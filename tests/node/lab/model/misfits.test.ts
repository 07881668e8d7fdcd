// What cannot be as things are is said by name, and something near stands in its place.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyOf, linkOf, readLink } from '../../../../web/src/lab/model/link.ts'
import { complaintsOf, fitting } from '../../../../web/src/lab/model/misfits.ts'
import { countOf, inForce, settingsOf } from '../../../../web/src/lab/model/settings.ts'
import { type State, start } from '../../../../web/src/lab/model/state.ts'
import { states } from '../support/states.ts'

const complaints = (query: string, lesson = start) => complaintsOf(readLink(query, lesson).state, lesson, keyOf)

test.each([
  ['h=4&kv=3', '“kv” has to divide the 4 query heads, and 3 does not; it is 2 here.'],
  ['h=2&head=2', '“head” takes a whole number from 0 to 1 here, not “2”; it is 1.'],
  ['pos=decoding&step=9', '“step” takes a whole number from 0 to 5 here, not “9”; it is 5.'],
  ['pos=prefill&from=4&chunk=5', '“chunk” takes a whole number from 1 to 2 here, not “5”; it is 2.'],
  ['pos=prefill&from=7&chunk=1', '“from” takes a whole number from 0 to 5 here, not “7”; it is 5.'],
  ['pos=ragged&len=7', '“len” takes a whole number from 0 to 6 here, not “7”; it is 6.'],
  ['cell=6,1', '“cell” takes a row from 0 to 5 and a column from 0 to 5 here, not “6,1”; it is 5,1.'],
  ['stage=wq&cell=1,5', '“cell” takes a row from 0 to 2 and a column from 0 to 2 here, not “1,5”; it is 1,2.'],
  ['pos=own&qp=1,2', '“qp” takes 6 positions here, not 2; they go on from the last one.'],
  ['s=1&pos=own&kp=1,2', '“kp” takes 1 position here, not 2; the rest is left out.'],
  ['xe=1.1:2,9.9:1', '“xe” takes cells of 6 rows and 3 columns here, not “9.9”; it was left out.'],
  ['wqe=3.0:1', '“wqe” takes cells of 3 rows and 3 columns here, not “3.0”; it was left out.'],
  [
    'xe=1.1:2,9.9:1,7.0:1,0.5:1',
    '“xe” takes cells of 6 rows and 3 columns here, not “9.9” and 2 others; they were left out.',
  ],
  ['paint=1&cells=1.0,6.6', '“cells” takes cells of 6 rows and 6 columns here, not “6.6”; it was left out.'],
  [`text=${'a+'.repeat(2100)}`, '“text” takes at most 2048 tokens, not 2100; the rest is left out.'],
])('%s', (query, sentence) => {
  expect(complaints(query)).toEqual([sentence])
})

test('a stage that the layer does not have', () => {
  const [sentence, ...more] = complaints('stage=capped')
  expect(more).toEqual([])
  expect(sentence).toMatch(/^“stage” takes one of x, wq, .*, scores, masked, .* here, not “capped”; it is weights\.$/)
  expect(complaints('stage=capped&cap=1')).toEqual([])
})

test('nobody complains of what the link does not say, or what has no say', () => {
  for (const query of [
    's=1',
    'step=9',
    'qp=1,2',
    'w=2',
    'cells=1.1',
    'w=50&window=1',
    's=0&cell=3,3',
    'set=same&wqe=0.0:2',
  ])
    expect(complaints(query)).toEqual([])
  expect(complaints('s=2', { ...start, cell: [5, 5] })).toEqual([])
})

test('what has no say yet is handed on', () => {
  const waiting: State = { ...start, step: 3, seed: 4, preset: 'previous' }
  expect(fitting(waiting, start)).toEqual(waiting)
})

test('what is handed on gives the same layer, and no complaint', () => {
  fc.assert(
    fc.property(states, (state) => {
      const handed = readLink(linkOf(fitting(state, start), start), start)
      expect(handed.complaints).toEqual([])
      expect(complaintsOf(handed.state, start, keyOf)).toEqual([])
      const { state: before, ...settings } = settingsOf(state)
      const { state: after, ...same } = settingsOf(handed.state)
      expect(same).toEqual(settings)
      expect(countOf('head', after)).toBe(countOf('head', before))
      expect(inForce(after).step).toBe(inForce(before).step)
    }),
    { numRuns: 200 },
  )
})
