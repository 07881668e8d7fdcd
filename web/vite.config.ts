// Builds the site, which any static host can serve from any folder of its own.

import { join } from 'node:path'
import { defineConfig } from 'vite'
import { buildCommon, bundling, common } from './vite.common.ts'

export default defineConfig({
  ...common,
  build: {
    ...buildCommon,
    outDir: '../dist/site',
    emptyOutDir: true,
    rollupOptions: { input: join(import.meta.dirname, 'index.html'), ...bundling },
  },
})
