import { AttentionError } from 'attention-playground'
import { expect, test } from 'vitest'
import { expectClose } from './support/compare.ts'
import { onEachBuild } from './support/engines.ts'

const shape = { queryHeads: 4, kvHeads: 2, headDim: 5, valueDim: 3 }
const [queryWidth, keyWidth, valueWidth] = [20, 10, 6]
const tokens = 70

const wave = (length: number, phase: number) => Float32Array.from({ length }, (_, i) => Math.sin(i * 1.7 + phase))
const q = wave(tokens * queryWidth, 0)
const k = wave(tokens * keyWidth, 1)
const v = wave(tokens * valueWidth, 2)
const rows = (values: Float32Array, width: number, from: number, to: number) =>
  values.subarray(from * width, to * width)

onEachBuild('KV cache', (engine) => {
  const full = (options = {}) =>
    engine().attendSync({ q, k, v, ...shape, queries: tokens, keys: tokens, layout: 'bthd', ...options }).output

  test('token by token it gives the rows of the full run', () => {
    const cache = engine().cache(shape)
    const expected = full()
    for (let t = 0; t < tokens; t++) {
      cache.append({ k: rows(k, keyWidth, t, t + 1), v: rows(v, valueWidth, t, t + 1) })
      expect(cache.tokens).toBe(t + 1)
      const { output, shape: axes } = cache.attend({ q: rows(q, queryWidth, t, t + 1) })
      expect(axes).toEqual([1, 12])
      expectClose(output, rows(expected, 12, t, t + 1), 1e-6, axes, `token ${t}`)
    }
    cache.dispose()
  })

  test('decode-offset: a chunk is the last rows of the full run, and so with a window', () => {
    const cache = engine().cache(shape)
    cache.append({ k: rows(k, keyWidth, 0, 40), v: rows(v, valueWidth, 0, 40), tokens: 40 })
    cache.append({ k: rows(k, keyWidth, 40, 70), v: rows(v, valueWidth, 40, 70), tokens: 30 })
    for (const options of [{}, { window: 7 }, { softcap: 2, scale: 1 }]) {
      const { output } = cache.attend({ q: rows(q, queryWidth, 60, 70), queries: 10, ...options })
      expectClose(output, rows(full(options), 12, 60, 70), 1e-6, [10, 12], JSON.stringify(options))
    }
    cache.dispose()
  })

  test('wrong input is an error and leaves the cache as it was', () => {
    const cache = engine().cache(shape)
    cache.append({ k: rows(k, keyWidth, 0, 1), v: rows(v, valueWidth, 0, 1) })
    const before = cache.attend({ q: rows(q, queryWidth, 0, 1) }).output
    expect(() => cache.append({ k: [1, 2], v: [1] })).toThrow(/k must be \[tokens, Hkv, D\] = \[1, 2, 5\]/)
    expect(() => cache.append({ k: [], v: [], tokens: 1.5 })).toThrow(/1\.5/)
    expect(() => cache.attend({ q: [1] })).toThrow(AttentionError)
    expect(() => cache.attend({ q: [], tokens: 1 } as never)).toThrow(/no field 'tokens'/)
    expect(cache.tokens).toBe(1)
    expect(cache.attend({ q: rows(q, queryWidth, 0, 1) }).output).toEqual(before)
    cache.dispose()
    expect(() => cache.attend({ q: rows(q, queryWidth, 0, 1) })).toThrow(/disposed/)
  })

  test('a shape that no cache can have is an error', () => {
    expect(() => engine().cache({ ...shape, kvHeads: 3 })).toThrow(/4 query heads do not divide among 3 KV heads/)
    expect(() => engine().cache({ ...shape, headDim: 0 })).toThrow(/headDim/)
  })

  test('embind-leak: disposed caches give their memory back', () => {
    const make = () => {
      const cache = engine().cache({ headDim: 64 })
      cache.append({ k: new Float32Array(64e3), v: new Float32Array(64e3), tokens: 1000 })
      cache.dispose()
    }
    for (let n = 0; n < 20; n++) make()
    const before = engine().memoryBytes
    for (let n = 0; n < 1000; n++) make()
    expect(engine().memoryBytes).toBe(before)
  })
})
