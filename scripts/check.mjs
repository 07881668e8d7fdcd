// Checks what no test does: formatting, types, lint and sizes.
//   npm run check            all of it
//   npm run check -- types   some of it

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build, buildLib, buildSite, buildWasm, configure, generated, tsc, wasmModules } from './build.mjs'
import { firstLoad } from './lib/first-load.mjs'
import { Failure, main, root, say } from './lib/run.mjs'
import { biome, clangFormat, is19 } from './lib/sources.mjs'
import { inToolchain, packages } from './setup.mjs'

/** The most that a .wasm file may weigh on its way to a browser, in bytes after Brotli. */
const wasmBudget = 40 * 1024

/** The most that the site may weigh until the widget works, the WebAssembly included. */
const firstLoadBudget = 150 * 1024

const checks = {
  'format and lint (Biome)': () => biome(['check', '--error-on-warnings']),
  'format (clang-format)': () => clangFormat(['--dry-run', '--Werror']),
  'types (tsc)': async () => {
    await buildWasm()
    await buildLib()
    await tsc('web/tsconfig.json')
    await tsc('tests/tsconfig.json')
  },
  'lint (clang-tidy)': clangTidy,
  'size (Brotli)': sizes,
}

async function clangTidy() {
  if (!(await is19('clang-tidy'))) return
  await configure('native')
  await build('native', ['build.ninja'])
  const commands = JSON.parse(readFileSync(join(root, 'build/native/compile_commands.json'), 'utf8'))
  const files = commands.map(({ file }) => relative(root, file)).filter((file) => file.startsWith('cpp/src/'))
  const failed = []
  let done = 0
  const worker = async () => {
    for (let file = files.shift(); file; file = files.shift()) {
      const options = ['-p', 'build/native', '--quiet', '--warnings-as-errors=*', file]
      await inToolchain('clang-tidy', options).catch(() => failed.push(file))
      done += 1
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  if (failed.length > 0) throw new Failure(`clang-tidy objects to ${failed.join(', ')}.`)
  say(`clang-tidy has read ${done} files`)
}

async function sizes() {
  await buildWasm()
  await buildSite()
  for (const name of Object.keys(wasmModules)) {
    const size = brotliCompressSync(readFileSync(join(generated, `${name}.wasm`))).length
    say(`${name}.wasm: ${size} bytes after Brotli, of at most ${wasmBudget}`)
    if (size > wasmBudget) throw new Failure(`${name}.wasm is larger than its budget.`)
  }
  const files = firstLoad(join(root, 'dist/site'))
  if (![...files.keys()].some((file) => file.endsWith('.wasm')))
    throw new Failure('No script of the site names its WebAssembly.')
  for (const [file, size] of files) say(`first load: ${String(size).padStart(6)} bytes after Brotli, ${file}`)
  const whole = [...files.values()].reduce((sum, size) => sum + size, 0)
  say(`first load: ${whole} bytes in all, of at most ${firstLoadBudget}`)
  if (whole > firstLoadBudget) throw new Failure('The first load is larger than its budget.')
}

await main(async () => {
  await packages()
  const wanted = process.argv.slice(2)
  const failed = []
  for (const [name, check] of Object.entries(checks)) {
    if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue
    say(`checking ${name}`)
    try {
      await check()
    } catch (error) {
      console.error(error instanceof Failure ? error.message : error)
      failed.push(name)
    }
  }
  if (failed.length > 0) throw new Failure(`These checks failed: ${failed.join('; ')}.`)
  say('all checks passed')
})
