// Owns the WebAssembly module: the only file that loads it. The small script beside
// each build is imported statically, because bundlers of worker code may not split
// it; the .wasm itself is fetched when it is chosen.

import createRelaxed from './generated/attention-relaxed.mjs'
import createSimd, { type MainModule } from './generated/attention-simd.mjs'
import type { Simd } from './simd.ts'

/** The functions that the C++ core exports; their types come from its build. */
export type Core = MainModule

/** Loads the build for `simd`. Every call makes an instance with memory of its own. */
export async function loadCore(simd: Simd): Promise<Core> {
  return simd === 'relaxed' ? createRelaxed() : createSimd()
}

type Failure = { error: { code: string; field: string; message: string } }

/** What a core function gives when nothing is wrong. */
export type Success<Result> = Exclude<Result, Failure>

export function isFailure(result: unknown): result is Failure {
  return typeof result === 'object' && result !== null && 'error' in result && result.error !== undefined
}
