// Every stage of a scene against a float64 evaluation of the layer, from tokens to
// output, in random small states; and the cases that have a name.

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Attention } from '../../../../web/src/engine/index.ts'
import { type Scene, sceneOf } from '../../../../web/src/lab/model/scene.ts'
import type { Stage, StageName } from '../../../../web/src/lab/model/stage.ts'
import { type State, start } from '../../../../web/src/lab/model/state.ts'
import { labWords } from '../../../../web/src/lab/words.ts'
import { loadEngine } from '../support/engine.ts'
import { type Bounded, evaluate } from '../support/layer.ts'
import { requestOf } from '../support/request.ts'
import { smallStates } from '../support/states.ts'

let engine: Attention
beforeAll(async () => {
  engine = await loadEngine()
})

const scene = (changes: Partial<State>) => sceneOf(engine, { ...start, ...changes })
const stage = (scene: Scene, name: StageName) => scene.stages.get(name) as Stage

/** Every index of a shape, the last axis fastest. */
function* indices(shape: readonly number[]): Generator<number[]> {
  const size = shape.reduce((product, axis) => product * axis, 1)
  for (let flat = 0; flat < size; ++flat) {
    let rest = flat
    const index = shape.map(() => 0)
    for (let axis = shape.length - 1; axis >= 0; --axis) {
      index[axis] = rest % (shape[axis] as number)
      rest = Math.floor(rest / (shape[axis] as number))
    }
    yield index
  }
}

const offset = ({ strides }: Stage, index: readonly number[]) =>
  index.reduce((sum, i, axis) => sum + i * (strides[axis] as number), 0)

/** A stage's values, the last axis fastest. */
const valuesOf = (of: Stage) => Array.from(indices(of.shape), (index) => of.values[offset(of, index)] as number)

function expectStage(found: Stage, expected: Bounded) {
  const { name, shape } = found
  expect(shape, name).toEqual(expected.shape)
  let flat = 0
  for (const index of indices(shape)) {
    const actual = found.values[offset(found, index)] as number
    const value = expected.values[flat] as number
    const error = expected.errors[flat] as number
    if (!(actual === value || Math.abs(actual - value) <= error)) {
      expect.fail(`${name} [${index}] of [${shape}]: got ${actual}, expected ${value} within ${error}`)
    }
    ++flat
  }
}

test('every stage is what float64 says, in any small state', () => {
  fc.assert(
    fc.property(smallStates, (state) => {
      const shown = sceneOf(engine, state)
      const request = requestOf(state)
      const values = (name: StageName) => shown.stages.get(name)?.values as Float32Array
      const expected = evaluate(request, {
        x: values('x'),
        context: values('context') ?? values('x'),
        ...{ wq: values('wq'), wk: values('wk'), wv: values('wv'), wo: values('wo') },
        scale: state.scale === 'one' ? 1 : state.scale === 'root' ? 1 / Math.sqrt(state.headDim) : state.ownScale,
        softcap: state.softcap,
      })
      for (const [name, bounded] of expected) {
        const found = shown.stages.get(name as StageName)
        if (found) expectStage(found, bounded)
        else expect(name === 'capped' && state.softcap === 0, `${name} is missing`).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

test('what is hidden names the rules that hide it, weighs nothing and counts as −∞, in any small state', () => {
  fc.assert(
    fc.property(smallStates, (state) => {
      const shown = sceneOf(engine, state)
      const request = requestOf(state)
      for (const name of ['masked', 'weights'] as const) {
        const found = stage(shown, name)
        expect(found.hiddenNames).toEqual(request.rules)
        for (const index of indices(found.shape)) {
          const [b = 0, , query = 0, key = 0] = index
          const at = offset(found, index)
          const bits = found.hiddenBy?.[at] ?? 0
          const names = request.rules.filter((_, bit) => (bits >> bit) & 1)
          expect(names, `${name} [${index}] of [${found.shape}]`).toEqual(request.hiddenBy(b, query, key))
          if (bits !== 0) expect(found.values[at]).toBe(name === 'masked' ? Number.NEGATIVE_INFINITY : 0)
        }
      }
    }),
    { numRuns: 150 },
  )
})

test('shapes and axes belong together: one letter has one size, and every value has a place', () => {
  fc.assert(
    fc.property(smallStates, (state) => {
      const shown = sceneOf(engine, state)
      const sizes = new Map<string, number>()
      for (const found of shown.stages.values()) {
        expect(found.strides).toHaveLength(found.axes.length)
        found.axes.forEach((axis, index) => {
          const size = found.shape[index] as number
          expect(sizes.get(axis) ?? size, `${found.name} ${axis}`).toBe(size)
          sizes.set(axis, size)
        })
        const places = new Set(Array.from(indices(found.shape), (index) => offset(found, index)))
        expect(places.size, found.name).toBe(found.values.length)
      }
      expect(shown.stages.has('context')).toBe(shown.settings.queries !== shown.settings.keys)
    }),
    { numRuns: 100 },
  )
})

test('the worked example, row of “journey”', () => {
  const shown = scene({ causal: false })
  const row = (name: StageName) => valuesOf(stage(shown, name)).slice(6, 12)
  const digits = (values: number[], count: number) => values.map((value) => value.toFixed(count))
  expect(digits(row('scores'), 4)).toEqual(['0.9544', '1.4950', '1.4754', '0.8434', '0.7070', '1.0865'])
  expect(digits(row('weights'), 4)).toEqual(['0.1385', '0.2379', '0.2333', '0.1240', '0.1082', '0.1581'])
  expect(digits(valuesOf(stage(shown, 'output')).slice(3, 6), 4)).toEqual(['0.4419', '0.6515', '0.5683'])
})

describe('layers made by hand do what they say', () => {
  const looks = {
    previous: (query: number, key: number) => key === query - 1,
    first: (_query: number, key: number) => key === 0,
    same: (query: number, key: number) => query % 3 === key % 3,
  }
  test.each(Object.entries(looks))('%s', (preset, looksAt) => {
    const text = 'red green blue red green blue'
    const { values } = stage(scene({ preset: preset as State['preset'], text, queryHeads: 2, headDim: 4 }), 'weights')
    for (let query = 1; query < 6; ++query) {
      let weight = 0
      for (let key = 0; key <= query; ++key) if (looksAt(query, key)) weight += values[query * 6 + key] as number
      expect(weight, `query ${query}`).toBeGreaterThanOrEqual(0.9)
    }
  })
})

/** One number a token, q = 0: every visible key weighs the same, and an output is the mean of what is seen. */
const means = (values: readonly number[], changes: Partial<State>) => {
  const xEdits = new Map(values.map((value, token) => [`${token}.0`, value]))
  const shown = scene({ keys: values.length, headDim: 1, features: 1, wq: 'zero', xEdits, ...changes })
  return valuesOf(stage(shown, 'output'))
}

describe('cases with a name', () => {
  const five = [1, 2, 3, 4, 5]

  test('decode-offset: the last token alone, and the last two, are rows of the whole', () => {
    expect(means(five, {})).toEqual([1, 1.5, 2, 2.5, 3])
    expect(means(five, { positions: 'decoding', step: 4 })).toEqual([3])
    expect(means(five, { positions: 'prefill', chunkStart: 3, chunkSize: 2 })).toEqual([2.5, 3])
  })

  test('causal-T<S: two queries of four are the last two, unless their positions say otherwise', () => {
    expect(means([1, 2, 3, 4], { queries: 2 })).toEqual([2, 2.5])
    expect(means([1, 2, 3, 4], { queries: 2, positions: 'own', queryPositions: [0, 1] })).toEqual([1, 1.5])
  })

  test('window-size: drawing, words and numbers agree', () => {
    const changes = { window: true, windowWidth: 2 }
    expect(means(five, changes)).toEqual([1, 1.5, 2.5, 3.5, 4.5])
    const shown = scene({ ...changes, keys: 5 })
    expect(shown.rules.find(({ name }) => name === 'window')?.code).toBe('key <= query && query - key < 2')
    expect(labWords.ruleSays.window?.({ ...start, ...changes })).toBe('A token sees the last 2, itself among them.')
    const { hiddenBy } = stage(shown, 'weights')
    const drawn = Array.from({ length: 5 }, (_, row) =>
      Array.from(hiddenBy?.subarray(5 * row, 5 * row + 5) ?? [], (bits) => (bits === 0 ? '1' : '0')).join(''),
    )
    expect(drawn).toEqual(['10000', '11000', '01100', '00110', '00011'])
  })

  test('left-pad: a padded sequence gives what it gives alone, and padding gives zeros', () => {
    expect(means([1, 2, 7, 9], { positions: 'padding', shorter: 2 }).slice(4)).toEqual([0, 0, 1, 1.5])
    expect(means([1, 2, 7, 9], { positions: 'ragged', shorter: 2 }).slice(4)).toEqual([1, 1.5, 0, 0])
  })

  test('full-mask-row: a query that sees nothing gets zeros', () => {
    const paintedCells = new Set(['1.0', '1.1'])
    expect(means([1, 3], { causal: false, painted: true, paintedCells })).toEqual([2, 0])
  })

  test('gqa-map: query heads 0 and 1 read KV head 0', () => {
    const shown = scene({
      queryHeads: 4,
      kvHeads: 2,
      headDim: 1,
      features: 2,
      keys: 1,
      xEdits: new Map([
        ['0.0', 10],
        ['0.1', 20],
      ]),
    })
    expect(shown.kvHeads).toEqual([0, 0, 1, 1])
    expect(valuesOf(stage(shown, 'merged'))).toEqual([10, 10, 20, 20])
  })

  test('empty-axes: no token, and no query, make empty stages', () => {
    expect(stage(scene({ keys: 0 }), 'output').shape).toEqual([1, 0, 3])
    expect(stage(scene({ queries: 0 }), 'weights').shape).toEqual([1, 1, 0, 6])
  })
})
