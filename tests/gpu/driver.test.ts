// How the GPU path behaves: falls back and comes back, queues, aborts, and cuts what
// exceeds a limit.

import { AttentionError, type Problem } from 'attention-playground'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCore, loadGpuPlanner } from '../../dist/lib/engine/core.js'
import { GpuDriver } from '../../dist/lib/engine/gpu/driver.js'
import { GpuPath } from '../../dist/lib/engine/gpu/path.js'
import { expectClose } from '../node/support/compare.ts'
import { gpu, gpuWithoutFeatures, loadOnGpu, withAdapter, withDevice } from './support/gpu.ts'
import { problemOf as random } from './support/problems.ts'

type Attention = Awaited<ReturnType<typeof loadOnGpu>>

/** Adapters with the limits that every adapter has. */
const withDefaultLimits = withAdapter(({ limits }) => ({
  limits: new Proxy(limits, {
    get: (target, name) =>
      ({ maxStorageBufferBindingSize: 2 ** 27, maxBufferSize: 2 ** 28 })[name as string] ?? target[name as never],
  }),
}))

const tolerance = 2e-6

describe('results', () => {
  let attention: Attention
  beforeAll(async () => {
    attention = await loadOnGpu()
  })
  afterAll(() => attention.dispose())

  test('weights are those of trace(), and sum to 1', async () => {
    const given = random({ queryHeads: 4, kvHeads: 2, queries: 37, keys: 75, headDim: 20, window: 30, softcap: 5 })
    const { weights, shape, backend } = await attention.weights(given)
    expect(backend).toBe('webgpu')
    expect(shape).toEqual([1, 4, 37, 75])
    expectClose(weights, attention.trace(given).weights, tolerance, shape)
  })

  test('times tell kernel and transfer apart', async () => {
    const { times } = await attention.attend(random({ queries: 8, keys: 8, headDim: 4 }))
    expect(times?.kernel).toBeGreaterThan(0)
    expect(times?.total).toBeGreaterThanOrEqual(times?.kernel as number)
  })

  test('more workgroups than the 65,535 of one axis', async () => {
    const heads = 65_540
    const ones = new Float32Array(heads).fill(1)
    const v = Float32Array.from({ length: heads }, (_, head) => head % 1000)
    const given = { q: ones, k: ones, v, queryHeads: heads, queries: 1, keys: 1, headDim: 1 }
    const { output, backend, why } = await attention.attend(given)
    expect([backend, why]).toEqual(['webgpu', undefined])
    expect(output).toEqual(v)
  })

  test('rows beyond the workgroups of two axes are spread over three', async () => {
    // Of 65,535 each that would be 4 billion; so the axes are short.
    const heads = 40
    const given = {
      ...{ q: new Float32Array(heads), k: new Float32Array(heads), queries: 1, keys: 1, headDim: 1 },
      ...{ v: Float32Array.from({ length: heads }, (_, h) => h), queryHeads: heads },
    }
    const adapter = (await gpu.requestAdapter()) as GPUAdapter
    const driver = new GpuDriver(await adapter.requestDevice(), 'narrow', gpu)
    const { maxStorageBufferBindingSize, maxBufferSize } = driver.device.limits
    const limits = { maxStorageBufferBindingSize, maxBufferSize }
    const planner = await loadGpuPlanner()
    const plan = planner.plan(given, { ...limits, maxComputeWorkgroupsPerDimension: 4 }, false)
    if ('error' in plan) throw new Error(plan.error.message)
    expect(plan.passes[0]?.workgroups).toEqual([4, 4, 3])
    expect((await driver.solve('output', given, plan)).values).toEqual(given.v)
    driver.destroy()
  })

  test('a wrong problem is the core’s error, and the next call works', async () => {
    const given = random({ queries: 3, keys: 3, headDim: 2 })
    await expect(attention.attend({ ...given, headDim: 3 })).rejects.toThrow(AttentionError)
    await expect(attention.attend({ ...given, headDim: 3 })).rejects.toThrow(/q must be \[B, Hq, T, D\]/)
    expect((await attention.attend(given)).backend).toBe('webgpu')
  })

  test('what the kernels cannot hold goes to WASM, and says why', async () => {
    const given = random({ queries: 2, keys: 3, headDim: 2, valueDim: 300 })
    const { output, backend, why } = await attention.attend(given)
    expect(backend).toBe('wasm')
    expect(why).toMatch(/at most 256 value dimensions .* needs 300/)
    expect(output).toEqual(attention.attendSync(given).output)
  })

  test('slider-race: sixty calls at once, each with its own result', async () => {
    const problems = Array.from({ length: 60 }, (_, i) => random({ queries: 1 + (i % 12), keys: 12, headDim: 4 }, i))
    problems.push(random({ queries: 7, keys: 7, headDim: 4 }))
    const results = await Promise.all(problems.map((problem) => attention.attend(problem)))
    results.forEach(({ output, shape, backend }, i) => {
      expect(backend).toBe('webgpu')
      expectClose(output, attention.attendSync(problems[i] as Problem).output, tolerance, shape, `call ${i}`)
    })
    expect(results.at(-1)?.shape).toEqual([1, 1, 7, 4])
  })

  test('an earlier output is written over, by one pass and by several', async () => {
    const given = random({ batch: 2, queryHeads: 4, queries: 40, keys: 40, headDim: 8 })
    const { output: expected } = await attention.attend(given)
    const output = new Float32Array(expected.length).fill(Number.NaN)
    const solved = await attention.attend(given, { reuse: { output, shape: [] } })
    expect(solved.backend).toBe('webgpu')
    expect(solved.output).toBe(output)
    expect(output).toEqual(expected)

    const driver = await GpuDriver.open(gpu)
    const planner = await loadGpuPlanner()
    const limits = {
      maxStorageBufferBindingSize: 6000,
      maxBufferSize: 2 ** 28,
      maxComputeWorkgroupsPerDimension: 65535,
    }
    const plan = planner.plan({ ...given, batch: 2, kvHeads: 4 }, limits, false)
    if ('error' in plan) throw new Error(plan.error.message)
    expect(plan.passes.length).toBeGreaterThan(1)
    output.fill(Number.NaN)
    expect((await driver.solve('output', given, plan, { room: output })).values).toBe(output)
    expectClose(output, expected, tolerance, solved.shape, 'output')
    const other = new Float32Array(output.length + 1)
    const { values } = await driver.solve('output', given, plan, { room: other })
    expect(values).toEqual(output)
    expect(other.every((value) => value === 0)).toBe(true)
    driver.destroy()
  })

  test('an output among the inputs is not written over', async () => {
    const given = random({ queries: 9, keys: 9, headDim: 4 })
    const { output: expected } = await attention.attend(given)
    const v = (given.v as Float32Array).slice()
    const solved = await attention.attend(given, { reuse: { output: given.v as Float32Array, shape: [] } })
    expect(solved.output).toEqual(expected)
    expect(given.v).toEqual(v)
  })

  test('a call that was given up writes nothing any more', async () => {
    const given = random({ queries: 64, keys: 64, headDim: 72 })
    const reuse = { output: new Float32Array(64 * 72), shape: [] }
    const controller = new AbortController()
    const attempt = attention.attend(given, { reuse, signal: controller.signal })
    setTimeout(() => controller.abort('given up'), 1)
    await expect(attempt).rejects.toBe('given up')
    reuse.output.fill(7)
    await attention.attend(given)
    expect(reuse.output.every((value) => value === 7)).toBe(true)
  })

  test('an abort rejects with its reason, before, in the queue and at work', async () => {
    const given = random({ queries: 64, keys: 64, headDim: 72 })
    await expect(attention.attend(given, { signal: AbortSignal.abort('not wanted') })).rejects.toBe('not wanted')
    const controller = new AbortController()
    const attempts = [1, 2, 3].map(() => attention.attend(given, { signal: controller.signal }))
    setTimeout(() => controller.abort('too late'), 1)
    for (const attempt of attempts) await expect(attempt).rejects.toBe('too late')
    expect((await attention.attend(given)).backend).toBe('webgpu')
  })
})

test('gpu-binding-128MiB: T = S = 6000 with weights, under the default limits', async () => {
  const attention = await loadOnGpu({ gpu: withDefaultLimits })
  const count = 6000
  const given = {
    ...{ q: new Float32Array(count), k: new Float32Array(count), v: new Float32Array(count).fill(1) },
    ...{ queries: count, keys: count, headDim: 1 },
  }
  const { output, backend } = await attention.attend(given)
  expect(backend).toBe('webgpu')
  expectClose(output, new Float32Array(count).fill(1), 1e-6, [count])
  const { weights, ...rest } = await attention.weights(given)
  expect(rest.backend).toBe('webgpu')
  for (const row of [0, 1, 2999, 3000, 5999]) {
    const right = Float32Array.from({ length: count }, (_, key) => (key <= row ? 1 / (row + 1) : 0))
    expectClose(weights.subarray(row * count, (row + 1) * count), right, 1e-9, [count], `row ${row}`)
  }
  attention.dispose()
})

describe('gpu-missing', () => {
  const given = { q: [0, 0], k: [0, 0], v: [1, 3], queries: 2, keys: 2, headDim: 1 }
  const solved = async (attention: Attention) => {
    const { output, backend, why } = await attention.attend(given)
    expect([...output]).toEqual([1, 2])
    expect(attention.info.why).toBe(why ?? attention.info.why)
    return { backend, why }
  }

  test('no API', async () => {
    const attention = await loadOnGpu({ gpu: undefined })
    expect(await solved(attention)).toMatchObject({
      backend: 'wasm',
      why: expect.stringMatching(/^WebGPU is not there/),
    })
  })

  test('plain http is told apart', async () => {
    Object.defineProperty(globalThis, 'isSecureContext', { value: false, configurable: true })
    try {
      const attention = await loadOnGpu({ gpu: undefined })
      expect(await solved(attention)).toMatchObject({ backend: 'wasm', why: expect.stringMatching(/needs https/) })
    } finally {
      Reflect.deleteProperty(globalThis, 'isSecureContext')
    }
  })

  test('no adapter', async () => {
    const attention = await loadOnGpu({ gpu: withAdapter(() => null) })
    expect(await solved(attention)).toMatchObject({ backend: 'wasm', why: expect.stringMatching(/no adapter/) })
  })

  test('no device', async () => {
    const requestDevice = () => Promise.reject(new Error('out of devices'))
    const attention = await loadOnGpu({ gpu: withAdapter(() => ({ requestDevice })) })
    expect(await solved(attention)).toMatchObject({ backend: 'wasm', why: expect.stringMatching(/out of devices/) })
  })

  test('features that are missing are told, but none is needed: the GPU computes', async () => {
    const attention = await loadOnGpu({ gpu: gpuWithoutFeatures })
    expect(await solved(attention)).toEqual({ backend: 'webgpu', why: undefined })
    expect(attention.info.why).toMatch(/without subgroups, shader-f16, timestamp-query, which the device lacks$/)
    const larger = random({ queries: 70, keys: 90, headDim: 8 })
    const { output, times } = await attention.attend(larger)
    expect(times?.kernel).toBeUndefined()
    expectClose(output, attention.attendSync(larger).output, tolerance, [70, 8])
    attention.dispose()
  })

  test('nobody asks for a GPU that the caller did not want', async () => {
    let asked = 0
    const counted = { requestAdapter: async () => ++asked && null } as unknown as GPU
    for (const backend of ['wasm', 'auto'] as const) {
      const attention = await loadOnGpu({ gpu: counted, backend })
      expect((await attention.attend(given)).backend).toBe('wasm')
    }
    expect(asked).toBe(0)
  })
})

test('auto measures with the first large problem, and says what it found', async () => {
  const attention = await loadOnGpu({ backend: 'auto' })
  expect(attention.info).toMatchObject({ backend: 'wasm', why: expect.stringMatching(/No problem was large enough/) })
  const small = await attention.attend(random({ queries: 8, keys: 8, headDim: 4 }))
  expect(small).toMatchObject({ backend: 'wasm', why: expect.stringMatching(/too small/) })
  const large = random({ queries: 1024, keys: 1024, queryHeads: 4, headDim: 64 })
  const { output, backend, why } = await attention.attend(large)
  expect(attention.info.why).toMatch(/GFLOP\/s .* GFLOP\/s/)
  if (backend === 'wasm') expect(why).toBe(attention.info.why)
  expectClose(output, attention.attendSync(large).output, tolerance, [4, 1024, 64])
  attention.dispose()
})

/** As `gpu`; each device that is given is put into `devices`. */
const watched = (devices: GPUDevice[]) => withDevice((device) => devices.push(device))

test('a device destroyed in mid-flight: WASM finishes, the next calls have a new device', async () => {
  const devices: GPUDevice[] = []
  const attention = await loadOnGpu({ gpu: watched(devices) })
  const given = random({ queries: 64, keys: 64, headDim: 72 })
  const right = attention.attendSync(given).output
  await attention.attend(given)
  const attempts = [1, 2].map(() => attention.attend(given))
  await new Promise((resolve) => setTimeout(resolve, 1))
  devices[0]?.destroy()
  const solved = await Promise.all(attempts)
  expect(solved.map(({ backend }) => backend)).toContain('wasm')
  for (const { output, backend, why } of solved) {
    expectClose(output, right, tolerance, [64, 72])
    if (backend === 'wasm') expect(why).toMatch(/device was lost/)
  }
  expect(attention.info).toMatchObject({ backend: 'wasm', why: expect.stringMatching(/device was lost/) })
  // One new device for calls that come at once.
  const next = await Promise.all([1, 2, 3].map(() => attention.attend(given)))
  expect(next.map(({ backend }) => backend)).toEqual(['webgpu', 'webgpu', 'webgpu'])
  expect(attention.info).toMatchObject({ backend: 'webgpu', why: expect.stringMatching(/asked for/) })
  expect(devices.length).toBe(2)
  attention.dispose()
  await devices[1]?.lost
})

test('auto after a loss measures the new device, and says so', async () => {
  const devices: GPUDevice[] = []
  const core = await loadCore('simd')
  // So slow that the GPU is worth it.
  const attend: typeof core.attend = (...given) => {
    const end = performance.now() + 2000
    while (performance.now() < end);
    return core.attend(...given)
  }
  const slow = new Proxy(core, { get: (target, name) => (name === 'attend' ? attend : target[name as never]) })
  const path = new GpuPath(slow, { gpu: watched(devices), always: false, threads: 1 })
  const large = random({ queries: 512, keys: 512, queryHeads: 16, headDim: 64 })
  const faster = { backend: 'webgpu', why: expect.stringMatching(/GPU is faster .* GFLOP\/s/) }
  expect(await path.solve('output', large)).toMatchObject({ shape: [1, 16, 512, 64] })
  expect(path.state).toMatchObject(faster)
  const attempt = path.solve('output', large)
  await new Promise((resolve) => setTimeout(resolve, 1))
  devices[0]?.destroy()
  expect(await attempt).toMatch(/device was lost/)
  expect(path.state).toMatchObject({ backend: 'wasm', why: expect.stringMatching(/device was lost/) })
  expect(await path.solve('output', large)).toMatchObject({ shape: [1, 16, 512, 64] })
  expect(path.state).toMatchObject(faster)
  expect(devices.length).toBe(2)
  path.dispose()
})

test('pipelines and buffers are made once', async () => {
  const made = { createShaderModule: 0, createComputePipelineAsync: 0, createBuffer: 0 }
  const counting = withDevice((device) => {
    for (const name of Object.keys(made) as (keyof typeof made)[]) {
      const create = device[name].bind(device) as (...given: unknown[]) => never
      device[name] = (...given: unknown[]) => {
        made[name]++
        return create(...given)
      }
    }
  })
  const attention = await loadOnGpu({ gpu: counting })
  await attention.attend(random({ queries: 40, keys: 40, headDim: 8 }))
  const first = { ...made }
  expect(first).toMatchObject({ createShaderModule: 1, createComputePipelineAsync: 1 })
  for (let seed = 2; seed < 5; seed++) await attention.attend(random({ queries: 40, keys: 40, headDim: 8 }, seed))
  expect(made).toEqual(first)
  // Fewer rows of the same tiles are the same kernel.
  await attention.attend(random({ queries: 33, keys: 50, headDim: 12 }))
  expect(made).toMatchObject({ createShaderModule: 1, createComputePipelineAsync: 1 })
  // Another set of sizes is another kernel.
  await attention.attend(random({ queries: 40, keys: 40, headDim: 7 }))
  expect(made).toMatchObject({ createShaderModule: 2, createComputePipelineAsync: 2 })
  attention.dispose()
})

test.each([
  ['the compiler', (code: string) => code.replace('fn main(', 'fn main(oops ')],
  ['the pipeline', (code: string) => code.replace('@workgroup_size(THREADS)', '@workgroup_size(100000 * THREADS)')],
])('a kernel that %s refuses is one readable sentence, and WASM computes', async (what, broken) => {
  const breaking = withDevice((device) => {
    const create = device.createShaderModule.bind(device)
    device.createShaderModule = (given) => create({ ...given, code: broken(given.code) })
  })
  const attention = await loadOnGpu({ gpu: breaking })
  const { output, backend, why } = await attention.attend({
    ...{ q: [0, 0], k: [0, 0], v: [1, 3], queries: 2, keys: 2, headDim: 1 },
  })
  expect([...output]).toEqual([1, 2])
  expect(backend).toBe('wasm')
  expect(why).toMatch(/^The GPU's compiler refused a kernel: .+$/)
  if (what === 'the compiler') expect(why).toMatch(/: output, line \d+, expected /)
  expect(attention.info).toMatchObject({ backend: 'wasm', why })
  attention.dispose()
})
