import { type Attention, loadAttention, type Problem } from 'attention-playground'
import { beforeAll, describe } from 'vitest'

type Kernel = NonNullable<Problem['kernel']>

/** The WebAssembly builds and kernels that every mathematical test runs on. */
export const builds = ['relaxed', 'simd'] as const
export const kernels: readonly Kernel[] = ['reference', 'online', 'tiled', 'decode']

/** Describes the same tests once for each WebAssembly build. */
export function onEachBuild(name: string, tests: (engine: () => Attention) => void): void {
  describe.each(builds)(`${name}, %s`, (simd) => {
    let attention: Attention
    beforeAll(async () => {
      attention = await loadAttention({ simd })
    })
    tests(() => attention)
  })
}
