// Runs in the page of the GPU's benchmark: what solves a problem of causal
// self-attention on WebGPU there. Makers resolve to a function that resolves to the
// output, [H, T, D] or [T, H * D], and the milliseconds of the kernels where known.

import { tokensFirst } from './problem.mjs'

export const makers = {
  ours: (given) => withOurs(given, false),
  oursOver: (given) => withOurs(given, true),

  onnx: (given) => withOnnx(given, 'with-subgroups'),

  // Its FlashAttention steps by as many keys as a subgroup has lanes and computes at least
  // 8 of them, so it counts keys twice where there are 4 lanes, as on SwiftShader. Without
  // subgroups it takes its way through workgroup memory, which is right.
  onnxWithoutSubgroups: async (given) => {
    const { requestDevice } = GPUAdapter.prototype
    GPUAdapter.prototype.requestDevice = function (asked) {
      const requiredFeatures = asked.requiredFeatures.filter((feature) => !feature.startsWith('subgroup'))
      return requestDevice.call(this, { ...asked, requiredFeatures })
    }
    try {
      return await withOnnx(given, 'without-subgroups')
    } finally {
      GPUAdapter.prototype.requestDevice = requestDevice
    }
  },

  async tensorflow({ q, k, v, queries, queryHeads, headDim }) {
    const { tf } = globalThis
    await tf.setBackend('webgpu')
    const shape = [queryHeads, queries, headDim]
    const hidden = Float32Array.from({ length: queries ** 2 }, (_, pair) =>
      pair % queries <= Math.floor(pair / queries) ? 0 : -1e30,
    )
    const mask = tf.tensor(hidden, [queries, queries])
    return async () => {
      const result = tf.tidy(() => {
        const [tq, tk, tv] = [q, k, v].map((values) => tf.tensor(values, shape))
        const scores = tf.add(tf.mul(tf.matMul(tq, tk, false, true), 1 / Math.sqrt(headDim)), mask)
        return tf.matMul(tf.softmax(scores), tv)
      })
      const output = await result.data()
      result.dispose()
      return { output }
    }
  },
}

/** `over`: each output is written over the last one. */
async function withOurs({ q, k, v, queries, queryHeads, headDim }, over) {
  const { loadAttention } = await import('/lib/engine/index.js')
  const attention = await loadAttention({ backend: 'webgpu', workers: 0 })
  const problem = { q, k, v, queries, keys: queries, queryHeads, headDim }
  let reuse
  return async () => {
    const solved = await attention.attend(problem, { reuse })
    const { output, backend, why, times } = solved
    if (backend !== 'webgpu') throw new Error(`${backend} computed: ${why}`)
    if (over) reuse = solved
    return { output, kernel: times.kernel }
  }
}

/** A runtime of its own, and so a device of its own, for each `instance`. */
async function withOnnx({ q, k, v, queries, queryHeads, headDim, model }, instance) {
  const ort = await import(`/peers/onnxruntime-web/dist/ort.webgpu.bundle.min.mjs?${instance}`)
  ort.env.wasm.wasmPaths = `${location.origin}/peers/onnxruntime-web/dist/`
  ort.env.wasm.numThreads = 1
  const session = await ort.InferenceSession.create(new Uint8Array(model), { executionProviders: ['webgpu'] })
  const shape = [1, queries, queryHeads * headDim]
  const feeds = {}
  for (const [name, values] of Object.entries({ q, k, v })) {
    feeds[name] = new ort.Tensor('float32', tokensFirst(values, queryHeads, queries, headDim), shape)
  }
  return async () => {
    const { output } = await session.run(feeds)
    return { output: await output.getData() }
  }
}

const peakLoop = `
  @group(0) @binding(0) var<storage, read_write> sums: array<vec4f>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    ${[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `var a${n} = vec4f(f32(id.x + ${n}u));`).join(' ')}
    for (var turn = 0u; turn < 1000u; turn++) {
      ${[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `a${n} = fma(a${n}, vec4f(0.999), vec4f(0.5));`).join(' ')}
    }
    sums[id.x] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;
  }`
const peakOperations = 64 * 1000 * 8 * 4 * 2 // of a workgroup

/**
 * GFLOP/s of a loop of nothing but multiply-adds in float32, the best of several runs of
 * 20 ms at least; null on an adapter without timestamps.
 */
export async function peak() {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' })
  if (!adapter.features.has('timestamp-query')) return null
  const device = await adapter.requestDevice({ requiredFeatures: ['timestamp-query'] })
  const module = device.createShaderModule({ code: peakLoop })
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } })
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 })
  const { STORAGE, QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage
  const stamps = device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC })
  const readback = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST })
  const milliseconds = async (workgroups) => {
    const buffer = device.createBuffer({ size: workgroups * 64 * 16, usage: STORAGE })
    const entries = [{ binding: 0, resource: { buffer } }]
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass({
      timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
    })
    pass.setPipeline(pipeline)
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }))
    pass.dispatchWorkgroups(workgroups)
    pass.end()
    encoder.resolveQuerySet(querySet, 0, 2, stamps, 0)
    encoder.copyBufferToBuffer(stamps, 0, readback, 0, 16)
    device.queue.submit([encoder.finish()])
    await readback.mapAsync(GPUMapMode.READ)
    const [from, to] = new BigUint64Array(readback.getMappedRange())
    readback.unmap()
    buffer.destroy()
    return Number(to - from) / 1e6
  }
  let workgroups = 16
  while ((await milliseconds(workgroups)) < 20 && workgroups < 65536 / 2) workgroups *= 2
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 5; run++) best = Math.min(best, await milliseconds(workgroups))
  device.destroy()
  return (workgroups * peakOperations) / best / 1e6
}
