// Our WebGPU path beside ONNX Runtime Web's and TensorFlow.js's, on one adapter in one
// Chromium: SwiftShader's, or with --hardware the machine's own; and alone in Node, on the
// machine's own card. Checked against WASM before anything is timed.

import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Failure, root } from '../lib/run.mjs'
import { browser } from '../setup.mjs'
import { checkOutput, referenceOutput } from './agree.mjs'
import { onCard } from './gpu-node.mjs'
import { measure, summary } from './measure.mjs'
import { float32, oneOperator } from './onnx-model.mjs'
import { peerFile } from './peers.mjs'
import { problemOf } from './problem.mjs'
import { milliseconds, percent, table } from './table.mjs'

const flags = [
  ...['--headless=new', '--no-sandbox', '--enable-unsafe-webgpu', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic'],
]
const software = '--use-webgpu-adapter=swiftshader'
const origin = 'http://127.0.0.1:1' // nothing listens there: every request is answered below

const titles = {
  ours: 'ours',
  oursOver: 'ours, over the last output',
  onnx: 'ONNX MultiHeadAttention',
  tensorflow: 'TensorFlow.js',
}
/** What takes part instead where the first is wrong on the adapter. */
const instead = { onnx: { maker: 'onnxWithoutSubgroups', title: 'ONNX MultiHeadAttention, without subgroups' } }
const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' }
const scripts = [
  '@tensorflow/tfjs-core/dist/tf-core.min.js',
  '@tensorflow/tfjs-backend-webgpu/dist/tf-backend-webgpu.min.js',
]

function fileOf(path) {
  if (path.startsWith('/lib/')) return join(root, 'dist', path)
  if (path.startsWith('/peers/')) return peerFile(path.slice('/peers/'.length))
  if (['/gpu-page.js', '/gpu-peak.js', '/problem.mjs'].includes(path)) return join(import.meta.dirname, path)
  return undefined
}

async function openPage({ hardware }) {
  const { chromium } = await import('playwright-core')
  const args = hardware ? [...flags, '--enable-features=Vulkan'] : [...flags, software]
  const opened = await chromium.launch({ executablePath: await browser(), args })
  const page = await opened.newPage()
  await page.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url())
    const file = fileOf(pathname)
    if (!file) return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })
    return route.fulfill({ contentType: types[extname(file)], body: readFileSync(file) })
  })
  await page.goto(origin)
  return { page, close: () => opened.close() }
}

const modelOf = ({ queries, queryHeads, headDim }) =>
  oneOperator({
    ...{ operator: 'MultiHeadAttention', domain: 'com.microsoft', version: 1, outputs: ['output'] },
    attributes: { num_heads: queryHeads, unidirectional: 1 },
    inputs: ['q', 'k', 'v'].map((name) => ({ name, type: float32, shape: [1, queries, queryHeads * headDim] })),
  })

export function gpuRace({ title, shape }) {
  return { title, run, show }

  async function run({ engines, effort, hardware, leftOut }) {
    const problem = problemOf(shape)
    const { page, close } = await openPage({ hardware })
    try {
      for (const script of scripts) {
        if (!leftOut.has('tensorflow')) await page.addScriptTag({ url: `/peers/${script}` })
      }
      const adapter = await page.evaluate(async () => {
        const { vendor, architecture, description } = (await navigator.gpu.requestAdapter())?.info ?? {}
        return [vendor, architecture, description].filter(Boolean).join(' ')
      })
      if (!adapter) throw new Failure('This Chromium has no WebGPU adapter.')
      const { q, k, v, ...counts } = problem
      const given = { ...counts, model: [...modelOf(problem)], q: [...q], k: [...k], v: [...v] }
      await page.evaluate((given) => {
        for (const name of ['q', 'k', 'v']) given[name] = Float32Array.from(given[name])
        Object.assign(globalThis, { given, solve: {} })
      }, given)
      const expected = referenceOutput(engines, problem)
      const calls = {}
      const contestants = []
      const wrong = []
      for (const id of Object.keys(titles).filter((id) => !leftOut.has(id))) {
        const check = async (maker, name) => {
          await page.evaluate(
            async ({ id, maker }) => {
              const { makers } = await import('/gpu-page.js')
              globalThis.solve[id] = await makers[maker](globalThis.given)
            },
            { id, maker },
          )
          const output = await page.evaluate(async (id) => Array.from((await globalThis.solve[id]()).output), id)
          checkOutput({ name, layout: id === 'onnx' ? 'bthd' : 'bhtd' }, output, expected, problem)
          return name
        }
        const name = await check(id, titles[id]).catch((error) => {
          if (!(error instanceof Failure) || !instead[id]) throw error
          wrong.push(error.message)
          return check(instead[id].maker, instead[id].title)
        })
        const once = () =>
          page.evaluate(async (id) => {
            const start = performance.now()
            const { kernel } = await globalThis.solve[id]()
            return { milliseconds: performance.now() - start, kernel: kernel ?? null }
          }, id)
        contestants.push({
          ...{ id, name },
          run: async () => {
            const { kernel, milliseconds } = await once()
            if (kernel !== null) calls[id] = [...(calls[id] ?? []), { kernel, transfer: 1 - kernel / milliseconds }]
            return { milliseconds }
          },
        })
      }
      const results = await measure(contestants, effort)
      const peak = await page.evaluate(async () => (await import('/gpu-peak.js')).peak(navigator.gpu))
      const { visibleFlops: flops } = engines.plain.cost(shape)
      for (const [id, list] of Object.entries(calls)) {
        results[id].kernel = summary(list.map(({ kernel }) => kernel))
        results[id].transfer = summary(list.map(({ transfer }) => transfer))
      }
      return { shape, adapter, results, wrong, peak, flops }
    } finally {
      await close()
    }
  }

  function show({ adapter, results, wrong, peak, flops }) {
    const rows = Object.values(results).map((result) => [
      ...[result.name, milliseconds(result.median), milliseconds(result.best), String(result.count)],
      result.kernel ? milliseconds(result.kernel.median) : '',
      result.kernel ? percent(result.transfer.median) : '',
    ])
    const head = ['', 'median ms', 'best', 'calls', 'kernel ms', 'transfer']
    return [
      `  on ${adapter}`,
      table(head, rows),
      ...shareOfPeak(results.ours?.kernel, peak, flops).map((sentence) => `  ${sentence}`),
      ...wrong.map((sentence) => `  ${sentence}`),
    ].join('\n')
  }
}

/** How much of what the adapter can do our kernel does; nothing where either is not known. */
function shareOfPeak(kernel, peak, flops) {
  if (!kernel || !peak) return []
  const rate = flops / kernel.median / 1e6
  return [
    `Our kernel does ${rate.toPrecision(3)} GFLOP/s, ${percent(rate / peak)} of the ${peak.toPrecision(3)} of nothing but multiply-adds.`,
  ]
}

/** Ours in Node over Dawn on the machine's own Vulkan: times as shares of the card's peak in float32. */
function cardSection({ title, shapes }) {
  return { title, run, show }

  async function run({ effort }) {
    // A driver that ends its process ends no bench.
    return onCard(shapes, effort).catch((error) => ({ why: error.message }))
  }

  function show({ why, adapter, peak, results }) {
    if (why) return `  nothing is measured: ${why}`
    const rows = results.map(({ shape: { queries, queryHeads, headDim }, flops, median, best, count, kernel }) => [
      ...[`T ${queries}, H ${queryHeads}, D ${headDim}`, milliseconds(median), milliseconds(best), String(count)],
      kernel ? milliseconds(kernel.median) : '',
      kernel && peak ? percent(flops / kernel.median / 1e6 / peak) : '',
    ])
    const head = ['', 'median ms', 'best', 'calls', 'kernel ms', 'of peak']
    const of = peak ? `, whose peak is ${peak.toPrecision(3)} GFLOP/s of nothing but multiply-adds` : ''
    return [`  on ${adapter}${of}`, table(head, rows)].join('\n')
  }
}

const race = (queries) => ({ queries, keys: queries, queryHeads: 8, headDim: 64 })

export const gpuSections = {
  gpu512: gpuRace({ title: 'WebGPU in Chromium: T 512, H 8, D 64, causal', shape: race(512) }),
  gpu1024: gpuRace({ title: 'WebGPU in Chromium: T 1024, H 8, D 64, causal', shape: race(1024) }),
  card: cardSection({
    title: "WebGPU in Node over Dawn, on the machine's own card: causal",
    shapes: [race(512), race(1024), race(4096)],
  }),
}
