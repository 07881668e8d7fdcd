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
      expect(found).toEqual({ numbers: state.queryHeads * (state.valueDim ?? state.headDim), different: 0 })
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
  expect(compare({})).toEqual({ numbers: 8, different: 0 })
  expect(compare({}, off)).toEqual({ numbers: 8, different: 1 })
})

test('what a cache cannot hold is not compared', () => {
  for (const flag of ['prefix', 'documents', 'blocks', 'dilated', 'painted'] as const) {
    expect(compare({ [flag]: true }), flag).toBe('mask')
  }
  expect(compare({ causal: false })).toBe('mask')
  expect(compare({ window: true, sinks: 1 })).toBe('mask')
  expect(compare({ window: true, windowWidth: 2 })).toEqual({ numbers: 8, different: 0 })
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
  expect(compareCached(watching, scene)).toEqual({ numbers: 8, different: 0 })
  expect(rows).toEqual([6])
})
