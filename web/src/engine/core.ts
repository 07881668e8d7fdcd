// Owns the WebAssembly module: the only file that loads it. The small script beside
// each build is imported statically, because bundlers of worker code may not split
// it; the .wasm itself is fetched when it is chosen.

import createPlanner, { type MainModule as Planner } from './generated/attention-gpu.mjs'
import createRelaxed from './generated/attention-relaxed.mjs'
import createSimd, { type MainModule } from './generated/attention-simd.mjs'
import type { Simd } from './simd.ts'

/** The functions that the C++ core exports; their types come from its build. */
export type Core = MainModule

/** Gives the bytes of the .wasm file of a build. */
export type WasmSource = (simd: Simd) => Promise<BufferSource>

/**
 * Loads the build for `simd`, whose .wasm file lies beside its script unless `wasm`
 * gives it. Every call makes an instance with memory of its own.
 */
export async function loadCore(simd: Simd, wasm?: WasmSource): Promise<Core> {
  const create = simd === 'relaxed' ? createRelaxed : createSimd
  if (!wasm) return create()
  const module = await WebAssembly.compile(await wasm(simd))
  return new Promise((resolve, reject) => {
    const instantiateWasm = (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => {
      // Emscripten waits for receive() for ever; bytes of another version must not make it.
      WebAssembly.instantiate(module, imports).then(receive, reject)
      return {}
    }
    create({ instantiateWasm }).then(resolve, reject)
  })
}

/** The module that plans the work of a GPU. */
export type GpuPlanner = Planner
export type GpuPlan = Success<ReturnType<Planner['plan']>>

export const loadGpuPlanner = (): Promise<GpuPlanner> => createPlanner()

type Failure = { error: { code: string; field: string; message: string } }

/** What a core function gives when nothing is wrong. */
export type Success<Result> = Exclude<Result, Failure>

export function isFailure(result: unknown): result is Failure {
  return typeof result === 'object' && result !== null && 'error' in result && result.error !== undefined
}
