// What a visitor downloads: each .wasm after Brotli.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { generated, wasmModules } from '../build.mjs'
import { table } from './table.mjs'

export const size = {
  title: 'Size of each .wasm after Brotli',

  run() {
    const bytesOf = (name) => brotliCompressSync(readFileSync(join(generated, `${name}.wasm`))).length
    return { bytes: Object.fromEntries(Object.keys(wasmModules).map((name) => [name, bytesOf(name)])) }
  },

  show: ({ bytes }) =>
    table(
      ['', 'KiB'],
      Object.entries(bytes).map(([name, count]) => [name, (count / 1024).toFixed(1)]),
    ),
}
