// Builds dist/lib/widget.js, the widget as a module for other people's pages, and
// beside it the folder widget/ with what it loads.

import { join } from 'node:path'
import { defineConfig } from 'vite'
import { buildCommon, bundling, common } from './vite.common.ts'

const beside = {
  entryFileNames: 'widget/[name]-[hash].js',
  chunkFileNames: 'widget/[name]-[hash].js',
  assetFileNames: 'widget/[name]-[hash][extname]',
}

export default defineConfig({
  ...common,
  publicDir: false,
  worker: { rollupOptions: { output: beside } },
  build: {
    ...buildCommon,
    outDir: '../dist/lib',
    emptyOutDir: false,
    rollupOptions: {
      input: join(import.meta.dirname, 'src/widget.ts'),
      ...bundling,
      output: { ...beside, entryFileNames: '[name].js' },
    },
  },
})
