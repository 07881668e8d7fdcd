// The tests of the npm package under Node, of the built site in Chromium, and of WebGPU in both.

import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Node 20 has relaxed SIMD behind a flag, which later versions no longer know.
const relaxed = Number(process.versions.node.split('.')[0]) < 22 ? ['--experimental-wasm-relaxed-simd'] : []

const lib = join(import.meta.dirname, '../dist/lib')

const gpuProject = (of: { name: string; include: string[]; env?: Record<string, string> }) => ({
  resolve: { alias: { 'attention-playground': join(lib, 'engine/index.js') } },
  test: {
    ...of,
    pool: 'forks' as const,
    server: { deps: { external: [/\/dist\/lib\//, /\/node_modules\/webgpu\//] } },
    // In software kernels are compiled in seconds.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
})

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../node_modules/.vite',
  test: {
    projects: [
      {
        // The package is tested as it is installed: built, by its own name, untouched by Vite.
        resolve: { alias: { 'attention-playground': join(lib, 'engine/index.js') } },
        test: {
          name: 'node',
          include: ['node/**/*.test.ts'],
          pool: 'forks',
          // A machine may be busy; no test is about time.
          testTimeout: 60_000,
          execArgv: relaxed,
          server: { deps: { external: [/\/dist\/lib\//] } },
        },
      },
      gpuProject({ name: 'gpu', include: ['gpu/*.test.ts'] }),
      gpuProject({
        ...{
          name: 'mesa',
          include: [
            'gpu/mesa/*.test.ts',
            'gpu/cases.test.ts',
            'gpu/onnx.test.ts',
            'gpu/random.test.ts',
            'gpu/bits.test.ts',
          ],
        },
        env: { GPU_TARGETS: 'node' },
      }),
      {
        test: {
          name: 'browser',
          include: ['browser/**/*.test.ts'],
          globalSetup: ['site', 'harness', 'course'].map((name) => `../scripts/lib/serve-${name}.mjs`),
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 10_000 } },
          // One Chromium at a time is enough for two cores.
          fileParallelism: false,
        },
      },
    ],
  },
})
