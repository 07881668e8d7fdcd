// Results written over earlier ones.

import { loadAttention, type Problem } from 'attention-playground'
import { expect, test } from 'vitest'
import { kernels, onEachBuild } from './support/engines.ts'

const problem = (tokens: number, seed: number) => {
  const x = (of: number) => Float32Array.from({ length: tokens * 8 }, (_, i) => Math.sin(seed + of + i))
  return { q: x(1), k: x(2), v: x(3), queries: tokens, keys: tokens, queryHeads: 2, kvHeads: 2, headDim: 4 }
}
const layer = (tokens: number, seed: number) => {
  const values = (length: number) => Float32Array.from({ length }, (_, i) => Math.cos(seed + i))
  const [wq, wk, wv, wo] = [1, 2, 3, 4].map(() => values(64)) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ]
  return { x: values(tokens * 8), ...{ wq, wk, wv, wo }, queries: tokens, queryHeads: 2, headDim: 4, modelDim: 8 }
}

/** The arrays of a result by name. */
const arraysOf = (result: object) => Object.entries(result).filter(([, value]) => ArrayBuffer.isView(value))

onEachBuild('a result to write over', (engine) => {
  const calls = {
    attendSync: (tokens: number, seed: number, reuse?: never) =>
      engine().attendSync({ ...problem(tokens, seed), causal: true }, { reuse }),
    trace: (tokens: number, seed: number, reuse?: never) =>
      engine().trace({ ...problem(tokens, seed), causal: true }, { reuse }),
    multiHead: (tokens: number, seed: number, reuse?: never) => engine().multiHead(layer(tokens, seed), { reuse }),
    traceMultiHead: (tokens: number, seed: number, reuse?: never) =>
      engine().traceMultiHead(layer(tokens, seed), { reuse }),
  }

  test.each(Object.entries(calls))('%s gives its arrays back with the new numbers', (_, call) => {
    const earlier = call(5, 1)
    const kept = new Map(arraysOf(earlier))
    const expected = structuredClone(call(5, 2))
    const result = call(5, 2, earlier as never)
    expect(result).toEqual(expected)
    expect(result).not.toBe(earlier)
    // Positions are the mask's and small: they are new.
    for (const [name, array] of arraysOf(result)) {
      if (!name.endsWith('Positions')) expect(array, name).toBe(kept.get(name))
    }
  })

  test.each(Object.entries(calls))('%s leaves arrays of other sizes alone', (_, call) => {
    const earlier = call(5, 1)
    const kept = structuredClone(earlier)
    expect(call(6, 2, earlier as never)).toEqual(call(6, 2))
    expect(earlier).toEqual(kept)
  })

  test.each(kernels)('by the %s kernel, no number is left of what was there', (kernel) => {
    const given = { ...problem(70, 1), kernel, causal: true }
    const expected = engine().attendSync(given).output
    const output = new Float32Array(expected.length).fill(Number.NaN)
    expect(engine().attendSync(given, { reuse: { output, shape: [] } }).output).toBe(output)
    expect(output).toEqual(expected)
  })

  test('may be among the inputs', () => {
    const given = problem(5, 1)
    const expected = engine().attendSync(problem(5, 1))
    expect(engine().attendSync(given, { reuse: { output: given.q, shape: [] } })).toEqual(expected)
    expect(given.q).toEqual(expected.output)
  })

  test('is no reason to fail, whatever it is', () => {
    const expected = engine().attendSync(problem(5, 1))
    const odd = [null, 5, 'output', {}, { output: [1] }, { output: new Float64Array(40) }, { output: 'text' }]
    const empty = { ...problem(5, 1), queries: 0, q: [] }
    for (const reuse of odd) {
      expect(engine().attendSync(problem(5, 1), { reuse: reuse as never })).toEqual(expected)
    }
    const detached = new Float32Array(40)
    structuredClone(detached, { transfer: [detached.buffer] })
    expect(engine().attendSync(problem(5, 1), { reuse: { output: detached, shape: [] } })).toEqual(expected)
    expect(engine().attendSync(empty, { reuse: { output: detached, shape: [] } }).output).toEqual(new Float32Array())
  })

  test('takes a decoding step', () => {
    const cache = engine().cache({ queryHeads: 1, headDim: 2 })
    cache.append({ k: [1, 2], v: [3, 4] })
    const first = cache.attend({ q: [1, 1] })
    cache.append({ k: [5, 6], v: [7, 8] })
    const expected = cache.attend({ q: [1, 1] })
    const second = cache.attend({ q: [1, 1] }, { reuse: first })
    expect(second).toEqual(expected)
    expect(second.output).toBe(first.output)
    cache.dispose()
  })
})

const large = (seed: number): Problem => {
  const x = (of: number) => Float32Array.from({ length: 1024 * 256 }, (_, i) => Math.sin(seed + of + i))
  return { q: x(1), k: x(2), v: x(3), queries: 1024, keys: 1024, queryHeads: 4, kvHeads: 4, headDim: 64, causal: true }
}

test('workers write over an earlier output, with the same numbers as one thread', async () => {
  const attention = await loadAttention({ workers: 2 })
  let reuse = await attention.attend(large(0))
  for (let seed = 1; seed < 4; ++seed) {
    const { output } = reuse
    reuse = await attention.attend(large(seed), { reuse })
    expect(reuse.output).toBe(output)
    expect(reuse.output).toEqual(attention.attendSync(large(seed)).output)
  }
  attention.dispose()
})

test('workers do not write over what they still read', async () => {
  const attention = await loadAttention({ workers: 2 })
  const given = large(1)
  const q = (given.q as Float32Array).slice()
  const { output } = await attention.attend(given, { reuse: { output: given.q as Float32Array, shape: [] } })
  expect(output).toEqual(attention.attendSync(large(1)).output)
  expect(given.q).toEqual(q)
  attention.dispose()
})

test('a call that was given up writes nothing any more', async () => {
  const attention = await loadAttention({ workers: 2 })
  await attention.attend(large(0))
  const reuse = { output: new Float32Array(1024 * 256), shape: [] }
  for (const delay of [0, 5, 10, 20]) {
    const controller = new AbortController()
    const attempt = attention.attend(large(1), { reuse, signal: controller.signal })
    await new Promise((resolve) => setTimeout(resolve, delay))
    controller.abort('given up')
    await attempt.catch(() => {})
    reuse.output.fill(7)
    // Parts that were under way are done before this one is.
    await attention.attend(large(2))
    expect(reuse.output.every((value) => value === 7)).toBe(true)
  }
  attention.dispose()
})
