// The tests of the npm package under Node, and of the built site in Chromium.

import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Node 20 has relaxed SIMD behind a flag, which later versions no longer know.
const relaxed = Number(process.versions.node.split('.')[0]) < 22 ? ['--experimental-wasm-relaxed-simd'] : []

const lib = join(import.meta.dirname, '../dist/lib')

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
      {
        resolve: { alias: { 'attention-playground': join(lib, 'engine/index.js') } },
        test: {
          name: 'gpu',
          include: ['gpu/*.test.ts'],
          pool: 'forks',
          server: { deps: { external: [/\/dist\/lib\//, /\/node_modules\/webgpu\//] } },
          // SwiftShader compiles a kernel in seconds.
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        resolve: { alias: { 'attention-playground': join(lib, 'engine/index.js') } },
        test: {
          name: 'mesa',
          include: ['gpu/mesa/*.test.ts', 'gpu/cases.test.ts', 'gpu/onnx.test.ts'],
          env: { GPU_TARGETS: 'node' },
          pool: 'forks',
          server: { deps: { external: [/\/dist\/lib\//, /\/node_modules\/webgpu\//] } },
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
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
