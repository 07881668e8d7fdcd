// What a browser loads of the built site before the widget works: index.html, what it
// names, what its scripts import at once, and one build of the WebAssembly.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

/** The files of the first load, in the order in which they are met, with their sizes after Brotli. */
export function firstLoad(site) {
  const files = new Map()
  const read = (file) => {
    const content = readFileSync(join(site, file))
    files.set(file, brotliCompressSync(content).length)
    return content.toString()
  }
  const html = read('index.html')
  const named = Array.from(html.matchAll(/<(?:script|link)\b[^>]*?\b(?:src|href)="\.\/([^"]+)"/g), ([, file]) => file)
  const builds = new Set()
  // The list grows while it is read.
  for (const file of named) {
    if (files.has(file)) continue
    const text = read(file)
    if (!file.endsWith('.js')) continue
    // Imports that are not calls: what is imported by a call comes later, if at all.
    for (const [, name] of text.matchAll(/\b(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)) {
      named.push(join(file, '..', name))
    }
    for (const [, name] of text.matchAll(/([\w-]+\.wasm)\b/g)) {
      // Emscripten's loader also has the name that the file had before it was built into the site.
      const wasm = join(file, '..', name)
      if (existsSync(join(site, wasm))) builds.add(wasm)
    }
  }
  // A browser loads the build that it can run; the larger one counts.
  const weighed = Array.from(builds, (wasm) => [wasm, brotliCompressSync(readFileSync(join(site, wasm))).length])
  const [largest] = weighed.sort(([, a], [, b]) => b - a)
  if (largest) files.set(...largest)
  return files
}
