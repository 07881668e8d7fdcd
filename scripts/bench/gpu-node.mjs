// Our WebGPU path in Node over Dawn, on whatever adapter the machine's own Vulkan drivers
// give: prints what onCard() resolves to. A process of its own, since a driver may end it.

import { fileURLToPath } from 'node:url'
import { isProgram, main, run } from '../lib/run.mjs'
import { webgpu } from '../setup.mjs'
import { checkOutput, referenceOutput } from './agree.mjs'
import { loadEngines, loadOnGpu } from './engines.mjs'
import { peak } from './gpu-peak.js'
import { measure, summary } from './measure.mjs'
import { problemOf } from './problem.mjs'

const file = fileURLToPath(import.meta.url)

/**
 * For each shape the kernel's and the whole call's times, with the adapter and its peak in
 * GFLOP/s; `why` alone where there is no adapter.
 */
export async function onCard(shapes, effort) {
  const { WEBGPU_MODULE } = await webgpu()
  const given = JSON.stringify({ shapes, effort })
  return JSON.parse(await run(process.execPath, [file, given], { output: 'text', env: { WEBGPU_MODULE } }))
}

async function measureCard({ shapes, effort }) {
  const { create, globals } = await import(process.env.WEBGPU_MODULE)
  Object.assign(globalThis, globals)
  const gpu = create([]) // Dawn ends the process if it is collected
  const ours = await loadOnGpu(gpu)
  const { backend, why, adapter } = ours.info
  if (backend !== 'webgpu') return { why }
  const engines = await loadEngines(['plain'], new Map())
  const results = []
  for (const shape of shapes) {
    const problem = problemOf(shape)
    const expected = referenceOutput(engines, problem)
    const kernels = []
    const attend = async () => {
      const { output, backend, why, times } = await ours.attend(problem)
      if (backend !== 'webgpu') throw new Error(`${backend} computed: ${why}`)
      if (times.kernel !== undefined) kernels.push(times.kernel)
      return output
    }
    const contestant = { id: 'ours', name: 'ours', run: attend }
    const check = (_, output) => checkOutput({ name: 'ours', layout: 'bhtd' }, output, expected, problem)
    const times = await measure([contestant], effort, check)
    const { visibleFlops: flops } = engines.plain.cost(shape)
    results.push({ shape, flops, ...times.ours, ...(kernels.length > 0 && { kernel: summary(kernels) }) })
  }
  return { adapter, peak: await peak(gpu), results }
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    console.log(JSON.stringify(await measureCard(JSON.parse(process.argv[2]))))
    process.exit(0) // Dawn's threads would hold it
  })
}
