// Where the WebGPU path is tried: in Node by Dawn, and in Chromium, both on SwiftShader;
// in Node also on another driver.

import type { Attention, Info, loadAttention, Problem } from 'attention-playground'
import { openLibrary } from './chromium.ts'
import { gpu, gpuWithoutFeatures, loadOnGpu } from './gpu.ts'

/** An engine on the GPU, wherever it runs. */
export interface Target {
  info(): Promise<Info>
  /** The output, computed by the GPU; it is an error if something else did. */
  output(problem: Problem): Promise<number[]>
  weights(problem: Problem): Promise<number[]>
  close(): Promise<void>
}

export const openInNode = () => openOn(gpu)

async function openOn(gpu: GPU): Promise<Target> {
  const attention = await loadOnGpu({ gpu })
  return {
    info: async () => attention.info,
    output: async (problem) => {
      const { output, backend, why } = await attention.attend(problem)
      if (backend !== 'webgpu') throw new Error(`${backend} computed: ${why}`)
      return Array.from(output)
    },
    weights: async (problem) => {
      const { weights, backend, why } = await attention.weights(problem)
      if (backend !== 'webgpu') throw new Error(`${backend} computed: ${why}`)
      return Array.from(weights)
    },
    close: async () => attention.dispose(),
  }
}

export async function openInChromium(): Promise<Target> {
  const { page, url, close } = await openLibrary()
  // A script of its own, because Vitest rewrites the import() of a function.
  const content = `import { loadAttention } from '${url}engine/index.js'; globalThis.loadAttention = loadAttention`
  await page.addScriptTag({ type: 'module', content })
  await page.waitForFunction(() => 'loadAttention' in globalThis)
  const info = await page.evaluate(async () => {
    const { loadAttention: load } = globalThis as unknown as { loadAttention: typeof loadAttention }
    const attention = await load({ backend: 'webgpu', workers: 0 })
    Object.assign(globalThis, { attention })
    return attention.info
  })
  // Typed arrays go over as lists.
  const solve = async (method: 'attend' | 'weights', problem: Problem) => {
    const plain = Object.fromEntries(
      Object.entries(problem).map(([name, value]) => [
        name,
        ArrayBuffer.isView(value) ? Array.from(value as never) : value,
      ]),
    )
    const { values, backend, why } = await page.evaluate(
      async ({ method, plain }) => {
        const { attention } = globalThis as unknown as { attention: Attention }
        const result = await attention[method](plain as unknown as Problem)
        return {
          values: Array.from('output' in result ? result.output : result.weights),
          backend: result.backend,
          why: result.why,
        }
      },
      { method, plain },
    )
    if (backend !== 'webgpu') throw new Error(`${backend} computed: ${why}`)
    return values
  }
  return {
    info: async () => info,
    output: (problem) => solve('attend', problem),
    weights: (problem) => solve('weights', problem),
    close,
  }
}

const everywhere = {
  node: openInNode,
  'node, without subgroups': () => openOn(gpuWithoutFeatures),
  chromium: openInChromium,
}

/** Where the tests run: everywhere, or in Node alone, where its driver is not Chromium's. */
export const targets: Partial<typeof everywhere> =
  process.env.GPU_TARGETS === 'node' ? { node: openInNode } : everywhere
