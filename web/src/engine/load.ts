import { Attention } from './attention.ts'
import { loadCore, type WasmSource } from './core.ts'
import { AttentionError } from './error.ts'
import { GpuPath } from './gpu/path.ts'
import { fail } from './marshal.ts'
import { type Simd, supportedSimd } from './simd.ts'
import { processors } from './threads.ts'

export interface LoadOptions {
  /**
   * What computes: 'webgpu' the graphics card, for problems of any size; 'auto', if
   * absent, the card for problems that are large enough to gain by it, as measured with
   * the first that may be. Where there is none, or it fails, WASM computes all the same;
   * `info.why` says what is the matter.
   */
  backend?: 'auto' | 'wasm' | 'webgpu' | undefined
  /** WebGPU's entry, navigator.gpu if absent. In Node: `create([])` of the npm package webgpu. */
  gpu?: GPU | undefined
  /** Worker threads for large problems: 0 for none; as many as the machine runs at once if absent. */
  workers?: 'auto' | number | undefined
  /** The WebAssembly build; the best that the machine can run if absent. */
  simd?: 'auto' | Simd | undefined
  /** Gives the bytes of the build's .wasm file; it is fetched from beside this module if absent. Workers fetch theirs. */
  wasm?: WasmSource | undefined
}

/**
 * Loads the engine. Nothing happens before this call: importing has no effect.
 * Throws an AttentionError where the machine can't run it, or for an option that
 * this version does not have.
 */
export async function loadAttention(options: LoadOptions = {}): Promise<Attention> {
  const best = supportedSimd()
  if (!best) {
    throw new AttentionError({
      code: 'unavailable',
      field: 'simd',
      message:
        'This browser or Node has no WebAssembly SIMD, which the attention engine is made of: ' +
        'any browser since 2023 (Chrome 91, Firefox 89, Safari 16.4) and Node 20 have it.',
    })
  }
  const wanted = options.simd ?? 'auto'
  const simd = wanted === 'auto' ? best : wanted
  const core = await loadCore(simd === 'relaxed' && best === 'relaxed' ? 'relaxed' : 'simd', options.wasm)
  const { backend = 'auto', workers = 'auto' } = options
  if (!['auto', 'wasm', 'webgpu'].includes(backend)) {
    fail(core.unavailable(`backend ${shown(backend)}`, "use 'auto', 'wasm' or 'webgpu'"))
  }
  const count = workers === 'auto' ? await usefulWorkers() : workers
  if (!Number.isInteger(count) || count < 0 || count > mostWorkers) {
    fail(core.unavailable(`workers ${shown(workers)}`, `use 'auto' or a whole number from 0 to ${mostWorkers}`))
  }
  if (simd === 'relaxed' && best !== 'relaxed') {
    fail(core.unavailable("simd 'relaxed'", "this machine runs 'simd'"))
  }
  if (simd !== 'relaxed' && simd !== 'simd') {
    fail(core.unavailable(`simd ${shown(simd)}`, "use 'auto', 'relaxed' or 'simd'"))
  }
  const fixed = { simd, workers: count, version: core.version() as string }
  if (backend === 'wasm') return new Attention(core, fixed)
  const always = backend === 'webgpu'
  const gpu = new GpuPath(core, { gpu: options.gpu, always, threads: count })
  if (always) await gpu.open()
  return new Attention(core, fixed, gpu)
}

const mostWorkers = 64

/** One worker is no help: the calling thread does as well. */
async function usefulWorkers(): Promise<number> {
  const count = Math.min(await processors(), 8)
  return count > 1 ? count : 0
}

const shown = (option: unknown) => (typeof option === 'string' ? `'${option}'` : String(option))
