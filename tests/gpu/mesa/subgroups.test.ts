// Which way the kernels get at keys and values on which adapter, on one whose subgroups
// have 8 lanes. Whether all of it is right there, the other files' tests tell.

import { loadAttention, type Problem } from 'attention-playground'
import { expect, test } from 'vitest'
import { contractTolerance, expectClose } from '../../node/support/compare.ts'
import { oracle } from '../../node/support/oracle.ts'
import { loadOnGpu, withDevice } from '../support/gpu.ts'
import { normals, randomProblem, stated } from '../support/problems.ts'

/** As `gpu`, with devices that say of their adapter what `info` has, and put each kernel's text into `texts`. */
const posing = (info: { [name in keyof GPUAdapterInfo]?: unknown } | undefined, texts: string[]) =>
  withDevice((device) => {
    const { vendor, subgroupMinSize, subgroupMaxSize } = device.adapterInfo
    const value = info && { vendor, subgroupMinSize, subgroupMaxSize, ...info }
    Object.defineProperty(device, 'adapterInfo', { value })
    const create = device.createShaderModule.bind(device)
    device.createShaderModule = (given) => {
      texts.push(given.code)
      return create(given)
    }
  })

const [queryHeads, queries, keys, headDim] = [4, 70, 90, 20]
const given: Problem = {
  ...{ q: normals(queryHeads * queries * headDim, 1), k: normals(2 * keys * headDim, 2) },
  ...{ v: normals(2 * keys * headDim, 3), queryHeads, kvHeads: 2, queries, keys, headDim },
}
const few: Problem = { ...given, q: normals(queryHeads * headDim, 1), queries: 1 }

const wasm = await loadAttention({ backend: 'wasm', workers: 0 })

const lanes = (text: string) => Number(/const LANES = (\d+)u;/.exec(text)?.[1])

test.each([
  ['subgroups of 8', {}, 'subgroupShuffle', 8],
  ['subgroups of 4 to 8, of which a kernel gets 8', { subgroupMinSize: 4 }, 'subgroupShuffle', 4],
  ['quads of 4 threads', { subgroupMinSize: 4, subgroupMaxSize: 4 }, 'quadSwapX', 4],
  ['NVIDIA', { vendor: 'nvidia' }, 'kv_tile', undefined],
  ['Apple', { vendor: 'apple' }, 'kv_tile', undefined],
  ['an adapter that tells no sizes', { subgroupMinSize: undefined }, 'kv_tile', undefined],
  ['a device that tells nothing of its adapter', undefined, 'kv_tile', undefined],
] as const)('%s', async (_, info, way, count) => {
  const texts: string[] = []
  const attention = await loadOnGpu({ gpu: posing(info, texts) })
  for (const problem of [given, few]) {
    const { output, backend, why } = await attention.attend(problem)
    expect(backend, why).toBe('webgpu')
    const expected = wasm.attendSync(problem).output
    // Both are within 1e-6 of the exact outputs, which are averages of values below 4.
    expectClose(output, expected, 2e-6, [1, queryHeads, problem.queries, headDim])
  }
  attention.dispose()
  expect(texts).toHaveLength(2)
  for (const text of texts) {
    expect(text).toContain(way)
    if (count) expect(lanes(text)).toBe(count)
    expect(text).toContain('return subgroupAny(x);')
  }
})

test('where keys go by workgroup memory, subgroups vote: random problems, twenty seeds, and weights', async () => {
  const attention = await loadOnGpu({ gpu: posing({ vendor: 'nvidia' }, []) })
  for (let seed = 1; seed <= 20; seed++) {
    const problem = randomProblem(seed)
    const exact = oracle(problem)
    const { output, shape, backend, why } = await attention.attend(stated(problem))
    expect(backend, why).toBe('webgpu')
    expectClose(output, exact, contractTolerance(exact, oracle(problem, Math.fround)), shape, `seed ${seed}`)
  }
  const { weights, shape } = await attention.weights(given)
  expectClose(weights, wasm.trace(given).weights, 2e-6, shape)
  attention.dispose()
})

test('no more lanes load than a tile has keys or a workgroup threads', async () => {
  for (const [problem, count] of [
    [given, 32],
    [few, 16],
  ] as const) {
    const texts: string[] = []
    const attention = await loadOnGpu({ gpu: posing({ subgroupMinSize: 64, subgroupMaxSize: 64 }, texts) })
    await attention.attend(problem) // of 8 lanes in truth: its numbers are wrong
    attention.dispose()
    expect(texts.map(lanes)).toEqual([count])
  }
})
