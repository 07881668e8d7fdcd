// Random states: every field by what the table says it may hold.

import fc from 'fast-check'
import type { Field } from '../../../../web/src/lab/model/field.ts'
import { at } from '../../../../web/src/lab/model/field.ts'
import { fields, type Name, names, type State, start } from '../../../../web/src/lab/model/state.ts'

/** A number with 32 bits, as the cells of a matrix hold; never -0, which is written as 0. */
export const float = (most: number) =>
  fc.float({ min: Math.fround(-most), max: Math.fround(most), noNaN: true, noDefaultInfinity: true })

const cell = fc.tuple(fc.nat(2047), fc.nat(2047)).map(([row, column]) => at(row, column))

/** A value that the field may hold. */
function valuesOf(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'text':
      return fc.string({ unit: 'binary', maxLength: 40 })
    case 'flag':
      return fc.boolean()
    case 'count': {
      const counts = fc.integer({ min: field.least, max: field.most })
      return field.start === undefined ? fc.option(counts, { nil: undefined }) : counts
    }
    case 'number':
      return fc.double({ min: field.least, max: field.most, noNaN: true }).map((value) => value + 0)
    case 'choice':
      return fc.constantFrom(...Object.keys(field.options))
    case 'list':
      // Within the range of every list of the table.
      return fc.array(fc.integer({ min: 1, max: 2047 }), {
        minLength: field.length ?? 0,
        maxLength: field.length ?? 9,
      })
    case 'pairs':
      return fc.uniqueArray(cell, { maxLength: 9 }).map((cells) => new Set(cells))
    case 'edits':
      return fc
        .uniqueArray(fc.tuple(cell, float(1e30)), { maxLength: 9, selector: ([at]) => at })
        .map((cells) => new Map(cells))
  }
}

/** Any state that the table permits, however large. */
export const states = fc.record(
  Object.fromEntries(names.map((name) => [name, valuesOf(fields[name])])),
) as unknown as fc.Arbitrary<State>

/** Fields that differ from where the lab starts. */
export const changes = fc
  .tuple(states, fc.subarray([...names]))
  .map(([state, chosen]) => Object.fromEntries(chosen.map((name) => [name, state[name]])) as Partial<State>)

const small = {
  keys: fc.integer({ min: 0, max: 7 }),
  queries: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
  step: fc.nat(7),
  chunkStart: fc.nat(7),
  chunkSize: fc.integer({ min: 1, max: 7 }),
  shorter: fc.nat(8),
  queryPositions: fc.array(fc.integer({ min: -4, max: 9 }), { maxLength: 7 }),
  keyPositions: fc.array(fc.integer({ min: -4, max: 9 }), { maxLength: 7 }),
  queryHeads: fc.integer({ min: 1, max: 4 }),
  kvHeads: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  headDim: fc.integer({ min: 1, max: 5 }),
  valueDim: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  features: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  softcap: fc.constantFrom(0, 0, 1.5),
  windowWidth: fc.integer({ min: 1, max: 7 }),
  sinks: fc.constantFrom(0, 0, 2),
  prefixLength: fc.nat(7),
  documentLengths: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
  blockSize: fc.integer({ min: 1, max: 4 }),
  localBlocks: fc.integer({ min: 1, max: 3 }),
  globalStride: fc.nat(3),
  dilatedWidth: fc.integer({ min: 1, max: 7 }),
  dilation: fc.integer({ min: 1, max: 3 }),
  paintedCells: fc
    .uniqueArray(
      fc.tuple(fc.nat(7), fc.nat(7)).map(([row, column]) => at(row, column)),
      { maxLength: 9 },
    )
    .map((cells) => new Set(cells)),
} satisfies Partial<Record<Name, fc.Arbitrary<unknown>>>

const edits = fc
  .uniqueArray(
    fc.tuple(
      fc.tuple(fc.nat(5), fc.nat(5)).map(([row, column]) => at(row, column)),
      float(3),
    ),
    { maxLength: 4, selector: ([at]) => at },
  )
  .map((cells) => new Map(cells))

/** A state whose numbers can all be computed once more by hand; what it does not name is as at the start. */
export const smallStates = fc
  .record({
    ...small,
    positions: valuesOf(fields.positions),
    scale: valuesOf(fields.scale),
    ownScale: fc.double({ min: -2, max: 2, noNaN: true }),
    seed: valuesOf(fields.seed),
    ...Object.fromEntries((['wq', 'wk', 'wv', 'wo'] as const).map((name) => [name, valuesOf(fields[name])])),
    ...{ xEdits: edits, wqEdits: edits, wkEdits: edits, wvEdits: edits, woEdits: edits },
    // Most of the rules are off, or nothing would be left to see.
    ...Object.fromEntries(
      (['window', 'prefix', 'documents', 'blocks', 'dilated', 'painted'] as const).map((flag) => [
        flag,
        fc.constantFrom(false, false, false, true),
      ]),
    ),
    causal: fc.boolean(),
  })
  .map((some) => ({ ...start, ...some }) as unknown as State)
