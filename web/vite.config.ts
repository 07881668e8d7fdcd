// Builds the site, which any static host can serve from any folder of its own.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vite'

const pages = ['index.html', 'embed.html'].map((page) => join(import.meta.dirname, page))

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  cacheDir: '../node_modules/.vite',
  build: {
    outDir: '../dist/site',
    emptyOutDir: true,
    target: 'es2022',
    // A polyfill would be an inline script, and data: addresses would need a
    // wider content policy than 'self'.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // 'module' is Node's own; the WebAssembly loader imports it only there.
    rollupOptions: { input: pages.filter(existsSync), external: ['module'] },
  },
})
