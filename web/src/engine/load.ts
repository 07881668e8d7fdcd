import { Attention } from './attention.ts'
import { loadCore } from './core.ts'
import { AttentionError } from './error.ts'
import { fail } from './marshal.ts'
import { type Simd, supportedSimd } from './simd.ts'

export interface LoadOptions {
  /** What computes; 'auto' if absent. */
  backend?: 'auto' | 'wasm' | undefined
  /** Worker threads; 'auto' if absent. */
  workers?: 'auto' | 0 | undefined
  /** The WebAssembly build; the best that the machine can run if absent. */
  simd?: 'auto' | Simd | undefined
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
  const core = await loadCore(simd === 'relaxed' && best === 'relaxed' ? 'relaxed' : 'simd')
  const { backend = 'auto', workers = 'auto' } = options
  if (!['auto', 'wasm'].includes(backend)) {
    fail(core.unavailable(`backend ${shown(backend)}`, "use 'auto' or 'wasm'"))
  }
  if (workers !== 'auto' && workers !== 0) {
    fail(core.unavailable(`workers ${shown(workers)}`, "use 'auto' or 0"))
  }
  if (simd === 'relaxed' && best !== 'relaxed') {
    fail(core.unavailable("simd 'relaxed'", "this machine runs 'simd'"))
  }
  if (simd !== 'relaxed' && simd !== 'simd') {
    fail(core.unavailable(`simd ${shown(simd)}`, "use 'auto', 'relaxed' or 'simd'"))
  }
  return new Attention(core, { backend: 'wasm', simd, workers: 0, version: core.version() as string })
}

const shown = (option: unknown) => (typeof option === 'string' ? `'${option}'` : String(option))
