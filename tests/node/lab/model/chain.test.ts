// How stages hang together: what is drawn beside a stage makes it, and the cells that
// a record names are found in it.

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Attention } from '../../../../web/src/engine/index.ts'
import {
  columns,
  type Drawn,
  drawn,
  headAt,
  headsOf,
  leadingAt,
  placeOf,
  queryHeadOf,
  regionIn,
  sourcesBehind,
  sourcesOf,
  turned,
} from '../../../../web/src/lab/model/chain.ts'
import { type Scene, sceneOf } from '../../../../web/src/lab/model/scene.ts'
import type { Stage, StageName } from '../../../../web/src/lab/model/stage.ts'
import { fields, type State, start } from '../../../../web/src/lab/model/state.ts'
import { loadEngine } from '../support/engine.ts'
import { sumError } from '../support/layer.ts'
import { smallStates } from '../support/states.ts'

let engine: Attention
beforeAll(async () => {
  engine = await loadEngine()
})

const scene = (changes: Partial<State>) => sceneOf(engine, { ...start, ...changes })
const stage = (scene: Scene, name: StageName) => scene.stages.get(name) as Stage
const grouped = {
  queryHeads: 4,
  kvHeads: 2,
  headDim: 2,
  valueDim: 3,
  wq: 'random',
  wk: 'random',
  wv: 'random',
} as const

/** The number that a drawn matrix shows in a cell. */
const value = ({ matrix: { stage, offset, rowStride, columnStride } }: Drawn, row: number, column: number) =>
  stage.values[offset + row * rowStride + column * columnStride] as number

test('the strip has every stage once', () => {
  expect(columns.flat().toSorted()).toEqual(Object.keys(fields.stage.options).toSorted())
  for (const changes of [{}, { softcap: 2 }, { queries: 2 }]) {
    const shown = [...scene(changes).stages.keys()]
    expect(columns.flat().filter((name) => shown.includes(name))).toHaveLength(shown.length)
  }
})

test('a KV head shows what the query head reads, and is chosen by one that reads it', () => {
  const shown = scene(grouped)
  const heads = [0, 1, 2, 3]
  expect(heads.map((head) => headAt(stage(shown, 'k'), { sequence: 0, head }, shown))).toEqual([0, 0, 1, 1])
  expect(heads.map((head) => headAt(stage(shown, 'q'), { sequence: 0, head }, shown))).toEqual(heads)
  expect(headAt(stage(shown, 'x'), { sequence: 0, head: 3 }, shown)).toBe(0)
  expect([0, 1].map((head) => queryHeadOf(stage(shown, 'k'), head, shown))).toEqual([0, 2])
  expect(queryHeadOf(stage(shown, 'q'), 3, shown)).toBe(3)
  expect((['q', 'k', 'wq', 'output'] as const).map((name) => headsOf(stage(shown, name)))).toEqual([
    'query',
    'key',
    'none',
    'none',
  ])
})

test('turning swaps rows and columns and no numbers, and twice is not at all', () => {
  const shown = scene(grouped)
  const upright = drawn(stage(shown, 'k'), { sequence: 0, head: 2 }, shown)
  const lying = turned(upright)
  expect([lying.matrix.rows, lying.matrix.columns]).toEqual([upright.matrix.columns, upright.matrix.rows])
  expect([lying.rowAxis, lying.columnAxis]).toEqual(['D', 'S'])
  expect(value(lying, 1, 4)).toBe(value(upright, 4, 1))
  expect(turned(lying)).toEqual(upright)
})

const products: readonly StageName[] = ['q', 'k', 'v', 'dots', 'mixed', 'output']

test('the left and the upper matrix, multiplied, are the one between them, in any small state', () => {
  fc.assert(
    fc.property(smallStates, fc.nat(3), fc.nat(1), (state, someHead, someSequence) => {
      const shown = sceneOf(engine, state)
      const place = { sequence: someSequence % shown.settings.batch, head: someHead % state.queryHeads }
      for (const name of products) {
        const result = drawn(stage(shown, name), place, shown)
        const { left, above } = sourcesOf(stage(shown, name), place, shown)
        if (!left || !above) throw new Error(`${name} has no factors`)
        const { rows, columns } = result.matrix
        const inner = left.matrix.columns
        expect([left.matrix.rows, above.matrix.columns, above.matrix.rows], name).toEqual([rows, columns, inner])
        for (let row = 0; row < rows; ++row) {
          for (let column = 0; column < columns; ++column) {
            let [sum, size] = [0, 0]
            for (let i = 0; i < inner; ++i) {
              const product = value(left, row, i) * value(above, i, column)
              sum += product
              size += Math.abs(product)
            }
            const error = sumError(inner, size)
            const found = value(result, row, column)
            expect(Math.abs(found - sum), `${name} [${row}, ${column}] ${found} ${sum}`).toBeLessThanOrEqual(error)
          }
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('an elementwise stage stands beside the one before it, of the same size', () => {
  const before = (changes: Partial<State>) => {
    const shown = scene(changes)
    return (['scores', 'capped', 'masked', 'weights'] as const).flatMap((name) => {
      const found = shown.stages.get(name)
      const { left, above } = found ? sourcesOf(found, { sequence: 0, head: 0 }, shown) : {}
      expect(above).toBeUndefined()
      if (left) expect([left.matrix.rows, left.matrix.columns]).toEqual(found?.shape.slice(-2))
      return found ? [`${left?.stage.name} → ${name}`] : []
    })
  }
  expect(before({})).toEqual(['dots → scores', 'scores → masked', 'masked → weights'])
  expect(before({ softcap: 2 })).toEqual(['dots → scores', 'scores → capped', 'capped → masked', 'masked → weights'])
})

test('beside the merged heads stands the head whose column is looked at', () => {
  const shown = scene(grouped)
  const chosen = { sequence: 0, head: 3 }
  const merged = (column: number) => placeOf({ stage: 'merged', head: 0, row: 1, column }, chosen, shown)
  expect([0, 2, 3, 11].map((column) => merged(column).head)).toEqual([0, 0, 1, 3])
  const { left, above } = sourcesOf(stage(shown, 'merged'), merged(4), shown)
  expect([left?.stage.name, left?.leading, above]).toEqual(['mixed', [0, 1], undefined])
  // The chosen query head reads KV head 1; of those that read KV head 0 there is a first one.
  expect(placeOf({ stage: 'k', head: 1, row: 0, column: 0 }, chosen, shown).head).toBe(3)
  expect(placeOf({ stage: 'k', head: 0, row: 0, column: 0 }, chosen, shown).head).toBe(0)
  expect(placeOf({ stage: 'x', head: 0, row: 0, column: 0 }, chosen, shown)).toEqual(chosen)
})

test('what is given has no sources', () => {
  const shown = scene({ queries: 3 })
  for (const name of ['x', 'context', 'wq', 'wk', 'wv', 'wo'] as const) {
    expect(sourcesOf(stage(shown, name), { sequence: 0, head: 0 }, shown), name).toEqual({})
  }
})

describe('cells that a record names', () => {
  test('a row of q, in the matrix that shows its head and in no other', () => {
    const shown = scene(grouped)
    const q = stage(shown, 'q')
    const cells = { stage: 'q' as const, index: [0, 2, 3, 0], axis: 3, count: 2 }
    const of = (head: number) => drawn(q, { sequence: 0, head }, shown)
    expect(regionIn(of(2), cells)).toEqual({ rows: [3, 4], columns: [0, 2] })
    expect(regionIn(of(1), cells)).toBeUndefined()
    expect(regionIn(turned(of(2)), cells)).toEqual({ rows: [0, 2], columns: [3, 4] })
    expect(regionIn(drawn(stage(shown, 'k'), { sequence: 0, head: 2 }, shown), cells)).toBeUndefined()
  })

  test('a row of Wq, where only the rows of a head are drawn', () => {
    const shown = scene(grouped)
    const { above } = sourcesOf(stage(shown, 'q'), { sequence: 0, head: 2 }, shown)
    const row = (index: number) => ({ stage: 'wq' as const, index: [index, 0], axis: 1, count: 8 })
    // Head 2 has rows 4 and 5 of Wq, which are turned.
    expect(regionIn(above as Drawn, row(5))).toEqual({ rows: [0, 8], columns: [1, 2] })
    expect(regionIn(above as Drawn, row(3))).toBeUndefined()
    expect(regionIn(above as Drawn, row(6))).toBeUndefined()
  })

  test('of a batch, only those of the sequence that is shown', () => {
    const shown = scene({ positions: 'ragged' })
    const cells = { stage: 'x' as const, index: [1, 2, 0], axis: 2, count: 3 }
    const of = (sequence: number) => drawn(stage(shown, 'x'), { sequence, head: 0 }, shown)
    expect(leadingAt(stage(shown, 'x'), { sequence: 1, head: 0 }, shown)).toEqual([1])
    expect(regionIn(of(1), cells)).toEqual({ rows: [2, 3], columns: [0, 3] })
    expect(regionIn(of(0), cells)).toBeUndefined()
  })
})

describe('the record of a cell, in any small state', () => {
  /** Every number that a stage shows in the region of a drawn matrix, row by row. */
  const numbersIn = (where: Drawn, { rows, columns }: NonNullable<ReturnType<typeof regionIn>>) => {
    const numbers: number[] = []
    for (let row = rows[0]; row < rows[1]; ++row) {
      for (let column = columns[0]; column < columns[1]; ++column) numbers.push(value(where, row, column))
    }
    return numbers
  }

  const someCell = fc.record({
    state: smallStates,
    name: fc.constantFrom(...(Object.keys(fields.stage.options) as StageName[])),
    index: fc.array(fc.nat(9), { minLength: 4, maxLength: 4 }),
  })

  test('its value is what is drawn, and its sources are lit where they stand, with the numbers of its terms', () => {
    let inspected = 0
    fc.assert(
      fc.property(someCell, ({ state, name, index: wish }) => {
        const shown = sceneOf(engine, state)
        const found = shown.stages.get(name)
        fc.pre(found !== undefined && !found.shape.includes(0))
        const index = found.shape.map((size, axis) => (wish[axis] as number) % size)
        const record = engine.inspect({ ...shown.layer, stage: name, index })
        const [row, column] = index.slice(-2) as [number, number]
        const sequence = found.axes[0] === 'B' ? (index[0] as number) : 0
        const cell = { stage: name, head: index[1] as number, row, column }
        const place = placeOf(cell, { sequence, head: 0 }, shown)
        const here = drawn(found, place, shown)
        expect(record.value, `${name} [${index}]`).toBe(value(here, row, column))

        const beside = Object.values(sourcesOf(found, place, shown)) as Drawn[]
        for (const cells of sourcesBehind(record, shown)) {
          const lit = beside.flatMap((where) => {
            const region = regionIn(where, cells)
            return region ? [numbersIn(where, region)] : []
          })
          expect(lit, `${name} [${index}] lights ${cells.stage} [${cells.index}]`).toHaveLength(1)
          expect(lit[0]).toHaveLength(cells.count)
          const { terms } = record
          // Of a pair the terms are those of its dot product, whatever its stage.
          if (terms && cells.stage === terms.left.stage) expect(lit[0]).toEqual([...terms.leftValues])
          else if (terms && cells.stage === terms.right.stage) expect(lit[0]).toEqual([...terms.rightValues])
        }
        ++inspected
      }),
      { numRuns: 400 },
    )
    expect(inspected).toBeGreaterThan(300)
  })

  test('what is hidden is not counted among the terms of an output', () => {
    const shown = scene({ paintedCells: new Set(['3.1']), painted: true })
    const { terms } = engine.inspect({ ...shown.layer, stage: 'mixed' as const, index: [0, 0, 3, 1] })
    expect([...(terms?.counted ?? [])]).toEqual([1, 0, 1, 1, 0, 0])
  })
})
