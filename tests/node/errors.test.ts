import { AttentionError, loadAttention } from 'attention-playground'
import { expect, test } from 'vitest'
import { onEachBuild } from './support/engines.ts'

const good = { q: [1, 2], k: [1, 2], v: [3, 4], queries: 1, keys: 1, headDim: 2 }

// What is changed, the code and the field of the error, and what its sentence holds.
const wrong: [string, object, string, string, string[]][] = [
  ['k of another width', { k: [1, 2, 3] }, 'wrong-shape', 'k', ['[1, 1, 1, 2]', '[1, 1, 1, 3]']],
  ['a missing tensor', { v: undefined }, 'missing-field', 'v', ['v is missing', '[B, Hkv, S, Dv]']],
  ['a typing error', { casual: false }, 'unknown-field', 'casual', ["'casual'", 'causal']],
  ['text for a count', { queries: '1' }, 'wrong-type', 'queries', ['a number', "'1'"]],
  ['a fractional count', { queries: 1.5 }, 'wrong-value', 'queries', ['whole number', '1.5']],
  ['a negative count', { keys: -1 }, 'wrong-value', 'keys', ['at least 0', '-1']],
  ['NaN for a count', { keys: Number.NaN }, 'wrong-value', 'keys', ['NaN']],
  ['null for a count', { batch: null }, 'wrong-type', 'batch', ['null']],
  ['D = 0', { headDim: 0, q: [], k: [] }, 'wrong-value', 'headDim', ['axis D', '0']],
  ['a NaN scale', { scale: Number.NaN }, 'wrong-value', 'scale', ['finite', 'NaN']],
  ['a scale beyond float32', { scale: 1e300 }, 'wrong-value', 'scale', ['finite']],
  ['a negative softcap', { softcap: -1 }, 'wrong-value', 'softcap', ['-1']],
  ['window 0', { window: 0 }, 'wrong-value', 'window', ['at least 1', '0']],
  ['window 1.5', { window: 1.5 }, 'wrong-value', 'window', ['1.5']],
  ['window as text', { window: '2' }, 'wrong-type', 'window', ["'2'"]],
  ['a negative side', { window: { left: -1 } }, 'wrong-value', 'window', ['-1']],
  ['KV heads that do not divide', { queryHeads: 16, kvHeads: 5 }, 'wrong-value', 'kvHeads', ['16', '5']],
  ['an unknown layout', { layout: 'bhdt' }, 'wrong-value', 'layout', ["'bhdt'", "'bhtd'"]],
  ['an unknown kernel', { kernel: 'fast' }, 'wrong-value', 'kernel', ["'fast'", "'tiled'"]],
  ['causal as a number', { causal: 1 }, 'wrong-type', 'causal', ['true or false', '1']],
  ['a word among the numbers', { q: [1, 'two'] }, 'wrong-type', 'q', ['value 1', "'two'"]],
  ['a hole among the numbers', { q: new Array(2) }, 'wrong-type', 'q', ['undefined']],
  ['an object for a tensor', { q: {} }, 'wrong-type', 'q', ['an array of numbers', 'an object']],
  ['64-bit integers', { q: new BigInt64Array(2) }, 'wrong-type', 'q', ['BigInt64Array']],
  ['a float mask as allowed', { allowed: new Float32Array(1) }, 'wrong-type', 'allowed', ['bias', 'Float32Array']],
  ['2 as a boolean', { allowed: [2] }, 'wrong-type', 'allowed', ['booleans', '2']],
  [
    'a mask that does not broadcast',
    { allowed: [1, 1], allowedShape: [2, 1] },
    'wrong-shape',
    'allowedShape',
    ['[2, 1]', '[1, 1, 1, 1]'],
  ],
  ['too many axes', { bias: [0], biasShape: [1, 1, 1, 1, 1] }, 'wrong-shape', 'biasShape', ['1 to 4', '5']],
  ['a fractional position', { queryPositions: [0.5] }, 'wrong-value', 'queryPositions', ['0.5']],
  ['too many positions', { keyPositions: [0, 1, 2] }, 'wrong-shape', 'keyPositions', ['3 values']],
]

onEachBuild('wrong input', (engine) => {
  test.each(wrong)('%s', (_, change, code, field, fragments) => {
    const attempt = (call: () => unknown) => {
      try {
        call()
      } catch (error) {
        return error
      }
      return undefined
    }
    const problem = { ...good, ...change } as never
    for (const error of [attempt(() => engine().attendSync(problem)), attempt(() => engine().trace(problem))]) {
      expect(error).toBeInstanceOf(AttentionError)
      expect(error).toBeInstanceOf(Error)
      expect(error).toMatchObject({ name: 'AttentionError', code, field })
      for (const fragment of fragments) expect((error as Error).message).toContain(fragment)
    }
    expect([...engine().attendSync(good).output]).toEqual([3, 4])
  })

  test('attend rejects, it does not throw', async () => {
    await expect(engine().attend({ ...good, headDim: 0 })).rejects.toBeInstanceOf(AttentionError)
  })

  test.each([undefined, null, 3, 'text'])('%s as the problem', (problem) => {
    expect(() => engine().attendSync(problem as never)).toThrow(AttentionError)
  })

  test('a trace of too many pairs says the limit', () => {
    const size = 3000
    const q = new Float32Array(size)
    expect(() => engine().trace({ q, k: q, v: q, queries: size, keys: size, headDim: 1 })).toThrow(
      /at most 4194304 .* 9000000/,
    )
  })

  test('memory that is not to be had is an error', () => {
    // One value of D serves 2^20 queries; their outputs would take 4 TB.
    const problem = {
      ...{ q: new Float32Array(1 << 20), k: [1], v: new Float32Array(1 << 20) },
      ...{ queries: 1 << 20, keys: 1, headDim: 1, valueDim: 1 << 20 },
    }
    expect(() => engine().attendSync(problem)).toThrow(/not enough memory/)
    expect([...engine().attendSync(good).output]).toEqual([3, 4])
  })
})

test('what later versions bring is refused in words', async () => {
  await expect(loadAttention({ backend: 'webgl' } as never)).rejects.toThrow(
    /backend 'webgl' is not part of this version/,
  )
  for (const workers of [-1, 1.5, 1000, '2']) {
    await expect(loadAttention({ workers } as never)).rejects.toThrow(/workers .* a whole number from 0 to 64/)
  }
  await expect(loadAttention({ simd: 'avx' } as never)).rejects.toThrow(/simd 'avx'/)
})

test('diagnose is refused in words', async () => {
  const attention = await loadAttention()
  expect(() => attention.diagnose({})).toThrow(AttentionError)
  expect(() => attention.diagnose({})).toThrow(/diagnose\(\) is not part of this version/)
})

test('a disposed engine refuses', async () => {
  const attention = await loadAttention()
  attention.dispose()
  expect(() => attention.attendSync(good)).toThrow(/disposed/)
})
