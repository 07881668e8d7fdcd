// Builds the frame, dist/site/embed.html, and beside it the folder embed/ with its
// classic scripts (src/embed/embed.ts says why they are classic).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { buildCommon, bundling, common } from './vite.common.ts'

const file = (path: string) => readFileSync(join(import.meta.dirname, path))

/** A classic script has no import.meta; what lies beside the engine is handed to it. */
const noNeighbours: Plugin = {
  name: 'no-neighbours',
  enforce: 'pre',
  transform: (code) => code.replaceAll('import.meta.url', 'document.baseURI'),
}

const besideIt: Plugin = {
  name: 'beside-the-frame',
  generateBundle() {
    const emit = (fileName: string, source: string | Uint8Array) => this.emitFile({ type: 'asset', fileName, source })
    emit('embed.html', file('embed.html'))
    emit('embed/embed.css', file('src/embed/embed.css'))
    for (const simd of ['relaxed', 'simd']) {
      const base64 = file(`src/engine/generated/attention-${simd}.wasm`).toString('base64')
      emit(`embed/attention-${simd}.js`, `attentionWasm('${base64}')\n`)
    }
  },
}

export default defineConfig({
  ...common,
  publicDir: false,
  plugins: [...common.plugins, noNeighbours, besideIt],
  build: {
    ...buildCommon,
    modulePreload: false,
    outDir: '../dist/site',
    emptyOutDir: false,
    rollupOptions: {
      input: join(import.meta.dirname, 'src/embed/embed.ts'),
      ...bundling,
      transform: { define: { 'import.meta': '{}' } },
      output: { format: 'iife', entryFileNames: 'embed/[name].js', codeSplitting: false },
    },
  },
})
