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
