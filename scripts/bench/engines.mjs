// Our own engine: in each build that this Node can run, with workers, with a cache.

import { join } from 'node:path'
import { root } from '../lib/run.mjs'
import { tokensFirst } from './problem.mjs'

export const workers = 2

const options = {
  plain: { simd: 'simd', workers: 0 },
  relaxed: { simd: 'relaxed', workers: 0 },
  pool: { workers },
}

const titles = {
  plain: 'tiled, plain SIMD',
  relaxed: 'tiled, relaxed SIMD',
  pool: `tiled, ${workers} workers`,
}

/** Loads engines by name. `leftOut` gets those that there can't be, with the reason. */
export async function loadEngines(names, leftOut) {
  const { loadAttention } = await import(join(root, 'dist/lib/engine/index.js'))
  const engines = {}
  for (const name of names) {
    try {
      engines[name] = await loadAttention(options[name])
    } catch (error) {
      leftOut.set(name, error.message)
    }
  }
  return engines
}

/** An engine on the WebGPU of `gpu`; its info says whether it can. */
export async function loadOnGpu(gpu) {
  const { loadAttention } = await import(join(root, 'dist/lib/engine/index.js'))
  return loadAttention({ backend: 'webgpu', gpu, workers: 0 })
}

/** The single-threaded builds that were loaded, the best first. */
export const builds = (engines) => ['relaxed', 'plain'].filter((build) => engines[build])

const contestant = (engine, id, name, run) => ({
  ...{ id, name, layout: 'bhtd', run },
  instructions: engine.info.simd === 'relaxed' ? 'relaxed' : 'plain',
  heldBytes: () => engine.memoryBytes,
})

/** The tiled kernel by attendSync, in one build. */
export const tiled = (engines, build, problem, id = build, name = titles[build]) =>
  contestant(engines[build], id, name, () => engines[build].attendSync(problem).output)

const overLast = ', over the last output'

/** The same for a loop that needs no earlier output: each is written over the last one. */
export function tiledOver(engines, build, problem) {
  const engine = engines[build]
  let reuse
  return contestant(engine, `${build}-over`, titles[build] + overLast, () => {
    reuse = engine.attendSync(problem, { reuse })
    return reuse.output
  })
}

/** Decoding from keys and values that lie in WebAssembly memory already. */
export function cached(engines, build, problem) {
  const { q, k, v, queries, keys, queryHeads, kvHeads, headDim } = problem
  const cache = engines[build].cache({ queryHeads, kvHeads, headDim, valueDim: headDim })
  const inOrder = (values) => tokensFirst(values, kvHeads, keys, headDim)
  cache.append({ k: inOrder(k), v: inOrder(v), tokens: keys })
  const ordered = tokensFirst(q, queryHeads, queries, headDim)
  const run = () => cache.attend({ q: ordered, queries }).output
  const made = contestant(engines[build], `${build}-cache`, `${titles[build]}, KV cache`, run)
  return { ...made, layout: 'bthd', close: () => cache.dispose() }
}

/** The worker pool, in the best build. */
export const pool = ({ pool: engine }, problem) =>
  contestant(engine, 'pool', titles.pool, async () => (await engine.attend(problem)).output)

export function poolOver({ pool: engine }, problem) {
  let reuse
  return contestant(engine, 'pool-over', titles.pool + overLast, async () => {
    reuse = await engine.attend(problem, { reuse })
    return reuse.output
  })
}

/** A slower rung of the ladder. Its code is scalar: the build makes no difference. */
export const rung = ({ plain }, kernel, problem) =>
  contestant(plain, kernel, kernel, () => plain.attendSync({ ...problem, kernel }).output)
