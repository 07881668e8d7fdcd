// Keys and values in float16, on an adapter that reads it. They are taken as they are, so
// the accuracy is the contract's, of float32, for the values that float16 holds.

import type { Problem } from 'attention-playground'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GpuDriver } from '../../../dist/lib/engine/gpu/driver.js'
import { contractTolerance, expectClose } from '../../node/support/compare.ts'
import { oracle } from '../../node/support/oracle.ts'
import { gpu, gpuWithoutFeatures, loadOnGpu, withDevice } from '../support/gpu.ts'
import { randomProblem, stated } from '../support/problems.ts'

const half = (values: ArrayLike<number>) => Float16Array.from(values)

/** The problem of a seed with keys and values of float16, and the oracle's answer to it. */
function problemOf(seed: number) {
  const made = randomProblem(seed)
  const problem = { ...made, k: half(made.k), v: half(made.v) }
  const exact = oracle(problem)
  const { batch, queryHeads, queries, valueDim, layout } = problem
  return {
    ...{ problem, exact, tolerance: contractTolerance(exact, oracle(problem, Math.fround)) },
    shape: layout === 'bhtd' ? [batch, queryHeads, queries, valueDim] : [batch, queries, queryHeads * valueDim],
  }
}

const sizes = { queryHeads: 4, kvHeads: 2, queries: 40, keys: 70, headDim: 16, valueDim: 8 }
const wave = (count: number, step: number) => Array.from({ length: count }, (_, i) => Math.sin(i * step))
const plain = {
  ...{ q: Float32Array.from(wave(4 * 40 * 16, 0.7)), k: half(wave(2 * 70 * 16, 0.3)), v: half(wave(2 * 70 * 8, 0.9)) },
  ...sizes,
}

/** The bytes of each upload that `problem` takes, and the output. */
async function uploadsOf(problem: Problem) {
  const attention = await loadOnGpu({ gpu: spied })
  uploads.length = 0
  const { output, backend } = await attention.attend(problem)
  attention.dispose()
  expect(backend).toBe('webgpu')
  return { output, uploads: [...uploads] }
}

const uploads: number[] = []
/** The devices note what is written to them. */
const spied = withDevice(({ queue }) => {
  const write = queue.writeBuffer.bind(queue)
  queue.writeBuffer = (...given: Parameters<typeof write>) => {
    uploads.push(given[4] ?? given[2].byteLength)
    return write(...given)
  }
})

test('the adapter reads float16', async () => {
  const driver = await GpuDriver.open(gpu)
  expect(driver.device.features.has('shader-f16')).toBe(true)
  expect(driver.adapter).toMatch(/llvmpipe/)
  driver.destroy()
})

describe('float16 keys and values', () => {
  let attention: Awaited<ReturnType<typeof loadOnGpu>>
  beforeAll(async () => {
    attention = await loadOnGpu()
  })
  afterAll(() => attention.dispose())

  test.each([1, 21, 41])('random problems, twenty seeds from %i', async (first) => {
    for (let seed = first; seed < first + 20; seed++) {
      const { problem, exact, tolerance, shape } = problemOf(seed)
      const { output, backend, why } = await attention.attend(stated(problem))
      expect(backend, why).toBe('webgpu')
      expectClose(output, exact, tolerance, shape, `seed ${seed}`)
    }
  })

  test('the weights too', async () => {
    const float = { ...plain, k: Float32Array.from(plain.k), v: Float32Array.from(plain.v) }
    const [halves, floats] = [await attention.weights(plain), await attention.weights(float)]
    expect([halves.backend, floats.backend]).toEqual(['webgpu', 'webgpu'])
    expectClose(halves.weights, floats.weights, 1e-6, [1, 4, 40, 70])
  })

  test('the least and the largest numbers, infinity, and a NaN that is hidden', async () => {
    const v = half([2 ** -24, -(2 ** -24), 65504, -65504, Infinity, 0, 1, 2, Number.NaN, Number.NaN, 5, 6])
    const given = { q: new Float32Array(4), k: half(new Float32Array(12)), queries: 1, keys: 3, headDim: 4 }
    const { output } = await attention.attend({ ...given, v, allowed: [true, true, false], causal: false })
    expect(Array.from(output)).toEqual([Infinity, -(2 ** -25), 32752.5, -32751])
  })
})

test('they travel in half the bytes, and give what float32 arrays of the same numbers give', async () => {
  const float = { ...plain, k: Float32Array.from(plain.k), v: Float32Array.from(plain.v) }
  const halves = await uploadsOf(plain)
  const floats = await uploadsOf(float)
  expectClose(halves.output, floats.output, 1e-6, [1, 4, 40, 8])
  const [kBytes, vBytes] = [float.k.byteLength, float.v.byteLength]
  expect(floats.uploads.slice(-2)).toEqual([kBytes, vBytes])
  expect(halves.uploads.slice(-2)).toEqual([kBytes / 2, vBytes / 2])
})

test.each([
  ['only the keys are float16', { v: Float32Array.from(plain.v) }],
  [
    'the head dim is no multiple of 4',
    { q: plain.q.slice(0, 4 * 40 * 15), k: plain.k.slice(0, 2 * 70 * 15), headDim: 15 },
  ],
])('as float32 where %s', async (_, odd) => {
  const problem = { ...plain, ...odd }
  const { output, uploads } = await uploadsOf(problem)
  expect(uploads.slice(-2)).toEqual([4 * problem.k.length, 4 * problem.v.length])
  const wasm = await loadOnGpu({ backend: 'wasm' })
  expectClose(output, wasm.attendSync(problem).output, 1e-6, [1, 4, 40, 8])
  wasm.dispose()
})

test('a device without float16 gives the same', async () => {
  const without = await loadOnGpu({ gpu: gpuWithoutFeatures })
  const { output, backend } = await without.attend(plain)
  without.dispose()
  expect(backend).toBe('webgpu')
  const { output: right } = await uploadsOf(plain)
  expectClose(output, right, 1e-6, [1, 4, 40, 8])
})
