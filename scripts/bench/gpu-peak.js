// The most that an adapter does, in a page or in Node: a loop of nothing but multiply-adds.

const threads = 64
const turns = 1000
const chains = [0, 1, 2, 3, 4, 5, 6, 7] // that don't wait for each other

const loop = `
  @group(0) @binding(0) var<storage, read_write> sums: array<vec4f>;
  @compute @workgroup_size(${threads}) fn main(@builtin(global_invocation_id) id: vec3u) {
    ${chains.map((n) => `var a${n} = vec4f(f32(id.x + ${n}u));`).join(' ')}
    for (var turn = 0u; turn < ${turns}u; turn++) {
      ${chains.map((n) => `a${n} = fma(a${n}, vec4f(0.999), vec4f(0.5));`).join(' ')}
    }
    sums[id.x] = ${chains.map((n) => `a${n}`).join(' + ')};
  }`
const operations = threads * turns * chains.length * 4 * 2 // of a workgroup

/**
 * GFLOP/s in float32 on the adapter that `gpu`, a GPU, gives: the best of several runs of 20 ms
 * at least. Null where there are no timestamps.
 */
export async function peak(gpu) {
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' })
  if (!adapter.features.has('timestamp-query')) return null
  const device = await adapter.requestDevice({ requiredFeatures: ['timestamp-query'] })
  const module = device.createShaderModule({ code: loop })
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } })
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 })
  const { STORAGE, QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage
  const stamps = device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC })
  const readback = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST })
  const milliseconds = async (workgroups) => {
    const buffer = device.createBuffer({ size: workgroups * threads * 16, usage: STORAGE })
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
  return (workgroups * operations) / best / 1e6
}
