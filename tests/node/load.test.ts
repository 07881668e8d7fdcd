import { readFileSync } from 'node:fs'
import { loadAttention } from 'attention-playground'
import { expect, test } from 'vitest'
import { builds } from './support/engines.ts'

const file = (simd: string) =>
  readFileSync(new URL(`../../dist/lib/engine/generated/attention-${simd}.wasm`, import.meta.url))
const problem = { q: [0], k: [0, 0], v: [1, 3], queries: 1, keys: 2, headDim: 1 }

test.each(builds)('given the bytes of its .wasm file the engine asks for those of its build, %s', async (simd) => {
  const asked: string[] = []
  const wasm = async (build: string) => {
    asked.push(build)
    return file(build)
  }
  const attention = await loadAttention({ simd, workers: 0, wasm })
  expect(asked).toEqual([simd])
  expect([...attention.attendSync(problem).output]).toEqual([2])
})

test('bytes that are no WebAssembly, or another module, are an error and no endless wait', async () => {
  await expect(loadAttention({ wasm: async () => new Uint8Array(8) })).rejects.toThrow(/WebAssembly/)
  // A module that imports env.x.
  const other = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 9, 1, 3, 101, 110, 118, 1, 120, 0, 0)
  await expect(loadAttention({ wasm: async () => other })).rejects.toThrow(/import/i)
  await expect(loadAttention({ wasm: () => Promise.reject(new Error('not there')) })).rejects.toThrow('not there')
})
