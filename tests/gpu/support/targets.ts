// Where the WebGPU path is tried: in Node by Dawn, and in Chromium, both on SwiftShader;
// in Node also on another driver.

import { join } from 'node:path'
import { type Attention, type Info, loadAttention, type Problem } from 'attention-playground'
import { type Browser, chromium } from 'playwright-core'
import { serve } from '../../../scripts/lib/serve.mjs'

const flags =
  '--headless=new --no-sandbox --enable-unsafe-webgpu --use-webgpu-adapter=swiftshader --disable-background-networking ' +
  '--disable-component-update --disable-sync --no-first-run --disable-quic'

/** An engine on the GPU, wherever it runs. */
export interface Target {
  info(): Promise<Info>
  /** The output, computed by the GPU; it is an error if something else did. */
  output(problem: Problem): Promise<number[]>
  weights(problem: Problem): Promise<number[]>
  close(): Promise<void>
}

/** WebGPU's entry in Node. Dawn ends the process if it is collected. */
export const gpu = await (async (): Promise<GPU> => {
  const { create } = (await import(process.env.WEBGPU_MODULE ?? 'webgpu')) as { create: (flags: string[]) => GPU }
  return create([])
})()

export const loadOnGpu = (options: Parameters<typeof loadAttention>[0] = {}): Promise<Attention> =>
  loadAttention({ backend: 'webgpu', gpu, workers: 0, ...options })

/** As `gpu`, with adapters that have no feature. */
export const gpuWithoutFeatures = {
  requestAdapter: async () =>
    new Proxy((await gpu.requestAdapter()) as GPUAdapter, {
      get: (adapter, name) => {
        const value = name === 'features' ? new Set() : adapter[name as keyof GPUAdapter]
        return typeof value === 'function' ? value.bind(adapter) : value
      },
    }),
} as unknown as GPU

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

/** A Chromium whose WebGPU is SwiftShader's. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROME_PATH ?? 'chromium', args: flags.split(' ') })

export async function openInChromium(): Promise<Target> {
  const { url, close } = await serve(join(import.meta.dirname, '../../../dist/lib'))
  const browser = await launch()
  const page = await browser.newPage()
  await page.route(`${url}page`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.goto(`${url}page`)
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
    close: async () => {
      await browser.close()
      await close()
    },
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
