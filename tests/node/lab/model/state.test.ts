// The state table: nothing in it is named twice, and it can say its own start.

import { expect, test } from 'vitest'
import type { Field } from '../../../../web/src/lab/model/field.ts'
import { agree, attributeOf, fields, names, start, written } from '../../../../web/src/lab/model/state.ts'

const twice = (words: readonly string[]) => words.filter((word, index) => words.indexOf(word) !== index)

test('keys of an address and attributes are unique', () => {
  expect(twice(names.map((name) => fields[name].key))).toEqual([])
  expect(twice(names.map(attributeOf))).toEqual([])
})

test('keys need no escaping in an address', () => {
  for (const name of names) expect(fields[name].key).toMatch(/^[a-z]+$/)
})

test('attributes are lower case, and none has a meaning on every element', () => {
  const global =
    'accesskey autofocus class contenteditable dir draggable enterkeyhint hidden id inert inputmode is ' +
    'itemid itemprop itemref itemscope itemtype lang nonce part popover role slot spellcheck style tabindex title translate'
  for (const name of names) {
    expect(attributeOf(name)).toMatch(/^[a-z][a-z-]*$/)
    expect(global.split(' ')).not.toContain(attributeOf(name))
  }
  expect(attributeOf('queryHeads')).toBe('query-heads')
})

test('every field has a label, and those of one kind are told apart', () => {
  for (const name of names) expect(fields[name].label.trim(), name).not.toBe('')
})

test('where the lab starts can be written and read', () => {
  for (const name of names) {
    const field: Field = fields[name]
    expect(start[name], name).toBe(field.start)
    if (start[name] !== undefined) expect(field.read(written(name, start)), name).toEqual(start[name])
  }
})

test('the start lies within the ranges', () => {
  for (const name of names) {
    const field: Field = fields[name]
    if ((field.kind !== 'count' && field.kind !== 'number') || field.start === undefined) continue
    expect(field.least, name).toBeLessThanOrEqual(field.start)
    expect(field.most, name).toBeGreaterThanOrEqual(field.start)
  }
})

test('states agree by what they say, not by which object says it', () => {
  const cells = { ...start, paintedCells: new Set(['1.0']), xEdits: new Map([['0.0', 0.5]]), cell: [1, 0] }
  const same = { ...start, paintedCells: new Set(['1.0']), xEdits: new Map([['0.0', 0.5]]), cell: [1, 0] }
  for (const name of names) expect(agree(name, cells, same), name).toBe(true)
  expect(agree('paintedCells', cells, start)).toBe(false)
  expect(agree('xEdits', cells, { ...cells, xEdits: new Map([['0.0', 0.25]]) })).toBe(false)
  expect(agree('kvHeads', start, { ...start, kvHeads: 1 })).toBe(false)
  const painted = (...paintedCells: string[]) => ({ ...start, paintedCells: new Set(paintedCells) })
  expect(agree('paintedCells', painted('1.0', '10.2'), painted('10.2', '1.0')), 'the order of strokes').toBe(true)
})
