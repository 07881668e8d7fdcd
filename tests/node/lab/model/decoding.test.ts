// Cached decoding is the full computation to the last bit, and the comparison can
// say otherwise.

import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Attention } from '../../../../web/src/engine/index.ts'
import { compareCached } from '../../../../web/src/lab/model/decoding.ts'
import { sceneOf } from '../../../../web/src/lab/model/scene.ts'
import { type State, start } from '../../../../web/src/lab/model/state.ts'
import { loadEngine } from '../support/engine.ts'
import { smallStates } from '../support/states.ts'

let engine: Attention
beforeAll(async () => {
  engine = await loadEngine()
})

/** A property of an engine whose methods need it as their receiver. */
function bound(target: Attention, name: string | symbol) {
  const value: unknown = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}

const decoding = { positions: 'decoding', step: 4, queryHeads: 4, kvHeads: 2, valueDim: 2 } as const
const compare = (changes: Partial<State>, by = engine) =>
  compareCached(by, sceneOf(engine, { ...start, ...decoding, ...changes }))

test('every step, scale, cap and window gives the same bits', () => {
  const plain = {
    causal: true,
    sinks: 0,
    prefix: false,
    documents: false,
    blocks: false,
    dilated: false,
    painted: false,
  }
  fc.assert(
    fc.property(smallStates, (state) => {
      fc.pre(state.keys > 0)
      const found = compareCached(engine, sceneOf(engine, { ...state, ...plain, positions: 'decoding' }))
      expect(found).toEqual({
        numbers: state.queryHeads * (state.valueDim ?? state.headDim),
        different: 0,
        seesLater: false,
      })
    }),
    { numRuns: 150 },
  )
})

test('a number that differs by its last bit is counted', () => {
  const off = new Proxy(engine, {
    get(target, name) {
      if (name !== 'cache') return bound(target, name)
      return (shape: Parameters<Attention['cache']>[0]) => {
        const cache = target.cache(shape)
        return {
          append: (tokens: Parameters<typeof cache.append>[0]) => cache.append(tokens),
          dispose: () => cache.dispose(),
          attend(step: Parameters<typeof cache.attend>[0]) {
            const { output, shape } = cache.attend(step)
            const bits = new Uint32Array(output.buffer, output.byteOffset, output.length)
            bits[3] = (bits[3] as number) ^ 1
            return { output, shape }
          },
        }
      }
    },
  })
  expect(compare({})).toEqual({ numbers: 8, different: 0, seesLater: false })
  expect(compare({}, off)).toEqual({ numbers: 8, different: 1, seesLater: false })
})

test('under every rule a step is the row of the whole to the last bit, unless that sees later tokens', () => {
  fc.assert(
    fc.property(smallStates, (state) => {
      fc.pre(state.keys > 0)
      const found = compareCached(engine, sceneOf(engine, { ...state, positions: 'decoding' }))
      if (!found?.seesLater) expect(found).toMatchObject({ different: 0 })
    }),
    { numRuns: 150 },
  )
})

test('rules that the cache does not know go by the step’s row of the mask', () => {
  const plain = compare({})
  for (const flag of ['prefix', 'documents', 'blocks', 'dilated', 'painted'] as const) {
    expect(compare({ [flag]: true, paintedCells: new Set(['4.1']) }), flag).toEqual(plain)
  }
  expect(compare({ window: true, sinks: 1 })).toEqual(plain)
  // The row of the whole sees the last token, of which the step knows nothing.
  expect(compare({ causal: false })).toEqual({ numbers: 8, different: 8, seesLater: true })
  expect(compare({ prefix: true, prefixLength: 6 })).toMatchObject({ seesLater: false })
  expect(compare({ causal: false, prefix: true, prefixLength: 6 })).toMatchObject({ seesLater: true })
})

test('the cache is given back, also when the engine refuses', () => {
  let open = 0
  const counting = new Proxy(engine, {
    get(target, name) {
      if (name !== 'cache') return bound(target, name)
      return () => {
        ++open
        return {
          append() {},
          attend() {
            throw new Error('no')
          },
          dispose: () => --open,
        }
      }
    },
  })
  expect(() => compare({}, counting)).toThrow('no')
  expect(open).toBe(0)
})

test('the other side is the whole sequence at once, not the step again', () => {
  const rows: number[] = []
  const watching = new Proxy(engine, {
    get(target, name) {
      if (name !== 'traceMultiHead') return bound(target, name)
      return (layer: Parameters<Attention['traceMultiHead']>[0]) => {
        rows.push(Number(layer.queries))
        return target.traceMultiHead(layer)
      }
    },
  })
  const scene = sceneOf(engine, { ...start, ...decoding })
  expect(compareCached(watching, scene)).toEqual({ numbers: 8, different: 0, seesLater: false })
  expect(rows).toEqual([6])
})
