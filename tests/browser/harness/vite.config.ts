// Builds the page for single elements as the site is built (web/vite.config.ts).

import { join } from 'node:path'
import { defineConfig } from 'vite'

const root = join(import.meta.dirname, '../../..')

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  cacheDir: join(root, 'node_modules/.vite'),
  build: {
    outDir: join(root, 'build/harness'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: { external: ['module'] },
  },
})
