// From what size on the GPU is worth it, measured on the machine at hand.

import type { Problem } from '../attention.ts'

export interface Speeds {
  /** Milliseconds that a call to the GPU takes whatever its size. */
  readonly overhead: number
  /** 10⁹ floating-point operations of the full square a second. */
  readonly gpu: number
  readonly wasm: number
  /** The operations from which the GPU is faster; infinite if it never is. */
  readonly worthwhile: number
}

const sizes = { small: { queries: 32, queryHeads: 1 }, large: { queries: 512, queryHeads: 4 } } as const
const headDim = 64
const repeats = 3

/** `solve` gives a problem to the GPU, `solveSync` to WASM on one thread of `threads`. */
export async function measureSpeeds(
  solve: (problem: Problem) => Promise<unknown>,
  solveSync: (problem: Problem) => unknown,
  threads: number,
): Promise<Speeds> {
  const [small, large] = [problemOf(sizes.small), problemOf(sizes.large)]
  const overhead = await least(() => solve(small))
  const onGpu = await least(() => solve(large))
  const onWasm = (await least(async () => solveSync(large))) / threads
  const work = 4 * sizes.large.queries ** 2 * sizes.large.queryHeads * headDim
  // An overhead above the whole is noise, and a GPU that fast is worth it at once.
  const gpuTime = Math.max(onGpu - overhead, onGpu / 100)
  const saved = (onWasm - gpuTime) / work
  return {
    overhead,
    gpu: work / gpuTime / 1e6,
    wasm: work / onWasm / 1e6,
    worthwhile: saved > 0 ? overhead / saved : Number.POSITIVE_INFINITY,
  }
}

function problemOf({ queries, queryHeads }: { queries: number; queryHeads: number }): Problem {
  const values = Float32Array.from({ length: queries * queryHeads * headDim }, (_, i) => Math.sin(i))
  return { q: values, k: values, v: values, queries, keys: queries, queryHeads, headDim }
}

/** The least of a few times, the first of which makes everything ready. */
async function least(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i <= repeats; i++) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return Math.min(...times.slice(1))
}
