// Problems shared out over worker threads.

import { type Attention, AttentionError, loadAttention, type Output, type Problem } from 'attention-playground'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
// The pool is no part of the package's face; its threads are the real ones.
import { Pool, WorkerDeath } from '../../dist/lib/engine/pool.js'
import { startThread } from '../../dist/lib/engine/threads.js'
import { builds } from './support/engines.ts'

const wave = (length: number, phase: number) => Float32Array.from({ length }, (_, i) => Math.sin(i * 0.37 + phase))

function problem(shape: {
  batch?: number
  queryHeads: number
  kvHeads: number
  queries: number
  keys?: number
  headDim: number
  valueDim?: number
}) {
  const { batch = 1, keys = shape.queries, valueDim = shape.headDim } = shape
  return {
    ...{ ...shape, batch, keys, valueDim },
    q: wave(batch * shape.queryHeads * shape.queries * shape.headDim, 0),
    k: wave(batch * shape.kvHeads * keys * shape.headDim, 1),
    v: wave(batch * shape.kvHeads * keys * valueDim, 2),
  }
}

// Each of these is large enough to be shared out.
const large = problem({ queryHeads: 4, kvHeads: 2, queries: 1600, headDim: 32, valueDim: 24 })
const { queries, keys } = large

const shapes: [string, Problem][] = [
  ['several heads', large],
  ['one head, split by queries', problem({ queryHeads: 1, kvHeads: 1, queries: 4100, headDim: 16 })],
  [
    'a batch, [B, T, H * D]',
    { ...problem({ batch: 3, queryHeads: 4, kvHeads: 2, queries: 1200, headDim: 17 }), layout: 'bthd' },
  ],
  ['more queries than keys', problem({ queryHeads: 2, kvHeads: 1, queries: 4200, keys: 4000, headDim: 16 })],
  [
    'a window and given positions',
    {
      ...large,
      window: 100,
      queryPositions: Array.from({ length: queries }, (_, i) => i * 2),
      keyPositions: Array.from({ length: keys }, (_, j) => j + 3),
    },
  ],
  [
    'a boolean mask for each head',
    {
      ...large,
      causal: false,
      allowed: Array.from({ length: 4 * keys }, (_, i) => i % 3 !== 0),
      allowedShape: [4, 1, keys],
    },
  ],
  ['a square of biases', { ...large, bias: wave(queries * keys, 3) }],
  ['softcap and scale', { ...large, softcap: 5, scale: 2 }],
]

describe.each(builds)('pool, %s', (simd) => {
  let alone: Attention
  let pooled: Attention
  beforeAll(async () => {
    alone = await loadAttention({ simd, workers: 0 })
    pooled = await loadAttention({ simd, workers: 2 })
  })
  afterAll(() => pooled.dispose())

  test.each(shapes)('%s: the same to the last bit as one thread', async (_, given) => {
    const [expected, actual] = [await alone.attend(given), await pooled.attend(given)]
    expect(actual.shape).toEqual(expected.shape)
    expect(actual.output).toEqual(expected.output)
    expect((await pooled.attend(given)).output).toEqual(expected.output)
  })

  test('several calls at once keep apart', async () => {
    const others = [1, 2, 3].map((scale) => ({ ...large, scale }))
    const together = await Promise.all(others.map((given) => pooled.attend(given)))
    const apart = others.map((given) => alone.attendSync(given))
    expect(together.map(({ output }) => output)).toEqual(apart.map(({ output }) => output))
  })

  test('the inputs stay the caller’s', async () => {
    const kept = large.q.slice()
    await pooled.attend(large)
    expect(large.q).toEqual(kept)
  })

  test('an error is an AttentionError, and the next call works', async () => {
    await expect(pooled.attend({ ...large, headDim: 33 })).rejects.toThrow(AttentionError)
    expect((await pooled.attend(large)).output).toEqual(alone.attendSync(large).output)
  })

  test('an abort rejects with its reason, before and during the work', async () => {
    await expect(pooled.attend(large, { signal: AbortSignal.abort('not wanted') })).rejects.toBe('not wanted')
    const controller = new AbortController()
    const attempt = pooled.attend(large, { signal: controller.signal })
    setTimeout(() => controller.abort('too late'), 1)
    await expect(attempt).rejects.toBe('too late')
    expect((await pooled.attend(large)).output).toEqual(alone.attendSync(large).output)
  })
})

describe('a thread that dies', () => {
  const given = {
    q: new Float32Array([0]),
    k: new Float32Array([0, 0]),
    v: new Float32Array([1, 3]),
    queries: 1,
    keys: 2,
    headDim: 1,
  }

  /** Starts threads of which the first `deaths` end when they are given work. */
  const mortal = (deaths: number): typeof startThread => {
    let left = deaths
    return async (callbacks) => {
      const thread = await startThread(callbacks)
      if (left-- <= 0) return thread
      return { ...thread, post: () => queueMicrotask(() => callbacks.onDeath('struck by the test')) }
    }
  }

  test('is replaced, and its work done again', async () => {
    const pool = new Pool('simd', 2, mortal(1))
    const results = await Promise.all([1, 2, 3, 4].map(() => pool.solve(() => ({ problem: structuredClone(given) }))))
    for (const result of results) expect(result).toEqual({ output: new Float32Array([2]), shape: [1, 1, 1, 1] })
    pool.end(new Error('done'))
  })

  test('twice over the same work is reported, and the pool goes on', async () => {
    const pool = new Pool('simd', 1, mortal(2))
    await expect(pool.solve(() => ({ problem: structuredClone(given) }))).rejects.toThrow(/struck by the test/)
    expect(await pool.solve(() => ({ problem: structuredClone(given) }))).toHaveProperty('output')
    pool.end(new Error('done'))
  })

  test('is what a build that the machine lacks leads to', async () => {
    const pool = new Pool('no such build' as 'simd', 1, async (callbacks) => {
      const thread = await startThread(callbacks)
      return { ...thread, post: () => thread.post(null, []) }
    })
    await expect(pool.solve(() => ({ problem: structuredClone(given) }))).rejects.toThrow(WorkerDeath)
    pool.end(new Error('done'))
  })
})

describe('the buffers of what was solved', () => {
  const one = { q: [0], k: [0], v: [0], queries: 1, keys: 1, headDim: 1 }
  const mebibytes = 2 ** 20
  const given = () => {
    const q = new Float32Array(mebibytes)
    return { problem: { q, k: q.slice(), v: q.slice(), queries: 1024, keys: 1024, headDim: 1024 } }
  }
  /** Takes all the buffers that the pool has to spare, and gives their sizes. */
  const taken = async (pool: Pool) => {
    const sizes: number[] = []
    await pool.solve((takeSpare) => {
      for (let buffer = takeSpare(2 ** 16); buffer; buffer = takeSpare(2 ** 16)) sizes.push(buffer.byteLength)
      return { problem: one }
    })
    return sizes
  }

  test('are there for the next ones, as many as 16 MiB hold, until the pool ends', async () => {
    const pool = new Pool('simd', 1)
    expect(await taken(pool)).toEqual([])
    await pool.solve(given)
    expect(await taken(pool)).toEqual([4, 4, 4].map((size) => size * mebibytes))
    for (let call = 0; call < 4; ++call) await pool.solve(given)
    expect(await taken(pool)).toEqual([4, 4, 4, 4].map((size) => size * mebibytes))
    await pool.solve(given)
    pool.end(new Error('done'))
    expect(await taken(pool)).toEqual([])
    pool.end(new Error('done'))
  })

  test('are large enough for what is put into them', async () => {
    const pool = new Pool('simd', 1)
    await pool.solve(given)
    const sizes: (number | undefined)[] = []
    await pool.solve((takeSpare) => {
      // For five bytes there is none: a new one costs nothing.
      for (const bytes of [4 * mebibytes + 1, 4 * mebibytes, 5]) sizes.push(takeSpare(bytes)?.byteLength)
      return { problem: one }
    })
    expect(sizes).toEqual([undefined, 4 * mebibytes, undefined])
    pool.end(new Error('done'))
  })
})

describe('room for an output', () => {
  const given = { q: [0, 0], k: [1, 2], v: [4, 6], queries: 2, keys: 2, headDim: 1, causal: false }
  const solved = async (room: Float32Array | undefined) => {
    const pool = new Pool('simd', 1)
    const result = await pool.solve(() => ({ problem: structuredClone(given), room }))
    pool.end(new Error('done'))
    return result as Output
  }

  test('is what it is written to', async () => {
    const { output } = await solved(new Float32Array(new ArrayBuffer(800), 0, 2))
    expect(output).toEqual(new Float32Array([5, 5]))
    expect(output.buffer.byteLength).toBe(800)
  })

  test('of another size is left alone', async () => {
    const { output } = await solved(new Float32Array(3))
    expect(output).toEqual(new Float32Array([5, 5]))
    expect(output.buffer.byteLength).toBe(8)
  })

  test('comes back where the core refuses the problem', async () => {
    const pool = new Pool('simd', 1)
    const refused = { ...given, queries: 3 }
    const room = new Float32Array(2 ** 16)
    expect(await pool.solve(() => ({ problem: structuredClone(refused), room }))).toHaveProperty('error')
    const sizes: (number | undefined)[] = []
    await pool.solve((takeSpare) => {
      sizes.push(takeSpare(2 ** 18)?.byteLength)
      return { problem: structuredClone(given) }
    })
    expect(sizes).toEqual([2 ** 18])
    pool.end(new Error('done'))
  })
})

test('a small problem stays on the calling thread', async () => {
  const attention = await loadAttention({ workers: 2 })
  const small = problem({ queryHeads: 1, kvHeads: 1, queries: 8, headDim: 4 })
  const threads = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'MessagePort' || name === 'Worker').length
  const before = threads()
  await attention.attend(small)
  expect(threads()).toBe(before)
})

test('disposing rejects what is under way', async () => {
  const attention = await loadAttention({ workers: 2 })
  const attempt = attention.attend(large)
  attention.dispose()
  await expect(attempt).rejects.toThrow(/disposed/)
})
