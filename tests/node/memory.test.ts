// Memory across the border between JavaScript and WebAssembly.

import { expect, test } from 'vitest'
import { onEachBuild } from './support/engines.ts'

const problem = (tokens: number, dim: number) => {
  const x = Float32Array.from({ length: tokens * dim }, (_, i) => Math.sin(i))
  return { q: x, k: x, v: x, queries: tokens, keys: tokens, headDim: dim }
}

onEachBuild('memory', (engine) => {
  test('heap-view-detach: a result outlives the growth of the memory', () => {
    const first = engine().attendSync(problem(4, 2))
    const traced = engine().trace(problem(4, 2))
    const kept = [[...first.output], [...traced.weights]]
    engine().attendSync(problem(2048, 256))
    expect([[...first.output], [...traced.weights]]).toEqual(kept)
    expect(first.output.length).toBe(8)
    expect(first.output.buffer.byteLength).toBe(32)
  })

  test('embind-leak: 10,000 calls and as many errors leave no trace', () => {
    const given = problem(64, 4)
    const call = () => {
      engine().attendSync(given)
      try {
        engine().attendSync({ ...given, headDim: 5 })
      } catch {}
    }
    for (let n = 0; n < 100; n++) call()
    const before = engine().memoryBytes
    for (let n = 0; n < 10_000; n++) call()
    // One leaked 64 x 64 matrix of weights in each call would be 164 MB, one
    // leaked error sentence 2 MB: either would have grown the memory.
    expect(engine().memoryBytes).toBe(before)
  })

  test('subarrays: a typed array at an offset is read from there', () => {
    const base = Float32Array.from([99, 99, 1, 2, 3, 4, 99])
    const x = base.subarray(2, 6)
    const expected = engine().attendSync({
      q: [1, 2, 3, 4],
      k: [1, 2, 3, 4],
      v: [1, 2, 3, 4],
      queries: 2,
      keys: 2,
      headDim: 2,
    })
    const actual = engine().attendSync({ q: x, k: x, v: x, queries: 2, keys: 2, headDim: 2 })
    expect(actual.output).toEqual(expected.output)
  })

  test.each([
    ['Float64Array', Float64Array.from([1, 2, 3, 4])],
    ['Int8Array', Int8Array.from([1, 2, 3, 4])],
    ['a list', [1, 2, 3, 4]],
    [
      'nested lists',
      [
        [1, 2],
        [3, 4],
      ],
    ],
  ])('%s is converted', (_, x) => {
    const shape = { queries: 2, keys: 2, headDim: 2 }
    const float32 = Float32Array.from([1, 2, 3, 4])
    const expected = engine().attendSync({ q: float32, k: float32, v: float32, ...shape })
    expect(engine().attendSync({ q: x, k: x, v: x, ...shape }).output).toEqual(expected.output)
  })

  test('inputs are left as they are, and changing them later changes nothing', () => {
    const x = Float32Array.from([1, 2, 3, 4])
    const { output } = engine().attendSync({ q: x, k: x, v: x, queries: 2, keys: 2, headDim: 2 })
    expect([...x]).toEqual([1, 2, 3, 4])
    const kept = [...output]
    x.fill(7)
    expect([...output]).toEqual(kept)
  })
})
