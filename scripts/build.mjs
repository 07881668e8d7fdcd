// Builds what people use: the WebAssembly, the npm package and the site.
//   node scripts/build.mjs          all of it
//   node scripts/build.mjs wasm     build/wasm*        →  web/src/engine/generated
//   node scripts/build.mjs lib      web/src            →  dist/lib
//   node scripts/build.mjs site     web                →  dist/site

import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Failure, isProgram, main, root, run, say } from './lib/run.mjs'
import { inToolchain, packages, toolchain } from './setup.mjs'

export const generated = join(root, 'web/src/engine/generated')

/** The two WebAssembly builds: the CMake preset, and the name of its Embind module. */
export const wasmModules = { wasm: 'attention-simd', 'wasm-relaxed': 'attention-relaxed' }

/**
 * Configures a CMake preset, once: ninja itself reconfigures when a CMakeLists.txt
 * changes. Whoever needs the tests says so in `cacheEntries`. A folder of another
 * toolchain, or of a checkout that has since moved, is begun anew.
 */
export async function configure(preset, cacheEntries) {
  const folder = join(root, 'build', preset)
  const stamp = join(folder, 'configured.json')
  const wanted = { root, toolchain: await toolchain(), cacheEntries }
  const found = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : {}
  wanted.cacheEntries ??= found.cacheEntries ?? ['ATTENTION_TESTS=OFF']
  if (isDeepStrictEqual(found, wanted)) return
  if (found.root !== root || found.toolchain !== wanted.toolchain) rmSync(folder, { recursive: true, force: true })
  const cmake = [
    'cmake',
    '--preset',
    preset,
    '--log-level=WARNING',
    ...wanted.cacheEntries.map((entry) => `-D${entry}`),
  ]
  if (preset in wasmModules) cmake.unshift('emcmake')
  await inToolchain(cmake[0], cmake.slice(1), { output: 'text' })
  writeFileSync(stamp, JSON.stringify(wanted))
}

/** Builds targets of a preset that is configured. */
export async function build(preset, targets) {
  const jobs = String(availableParallelism())
  await inToolchain('cmake', ['--build', `build/${preset}`, '--parallel', jobs, '--target', ...targets])
}

/** Copies a file if its content differs, so that no watcher sees a change that is none. */
function copyChanged(from, to) {
  const content = readFileSync(from)
  if (!existsSync(to) || !readFileSync(to).equals(content)) writeFileSync(to, content)
}

export async function buildWasm() {
  await packages()
  mkdirSync(generated, { recursive: true })
  for (const [preset, name] of Object.entries(wasmModules)) {
    say(`building ${name}.wasm`)
    await configure(preset)
    await build(preset, [`cpp/bindings/${name}.mjs`])
    const built = join(root, 'build', preset, 'cpp/bindings')
    for (const ending of ['mjs', 'wasm'])
      copyChanged(join(built, `${name}.${ending}`), join(generated, `${name}.${ending}`))
    // Both builds have the same face; TypeScript looks for a module's types beside it.
    copyChanged(join(root, 'build/wasm/cpp/bindings/attention-simd.d.ts'), join(generated, `${name}.d.mts`))
  }
}

/** The npm package: plain ES modules with their types, and the WebAssembly beside them. */
export async function buildLib() {
  say('building dist/lib')
  const lib = join(root, 'dist/lib')
  rmSync(lib, { recursive: true, force: true })
  await tsc('web/tsconfig.lib.json')
  cpSync(generated, join(lib, 'engine/generated'), { recursive: true })
  const program = join(lib, 'command/main.js')
  if (existsSync(program)) chmodSync(program, 0o755)
}

export async function buildSite() {
  say('building dist/site')
  await npmProgram('vite', 'vite/bin/vite.js', ['build', 'web', '--logLevel', 'warn'])
}

export const tsc = (project) => npmProgram('tsc', 'typescript/bin/tsc', ['-p', project])

/** Runs a program of an npm package under the Node that runs this script. */
export async function npmProgram(name, file, args, options) {
  const path = join(root, 'node_modules', file)
  if (!existsSync(path)) throw new Failure(`${name} is not installed: delete node_modules and run this again.`)
  return run(process.execPath, [path, ...args], options)
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const steps = { wasm: buildWasm, lib: buildLib, site: buildSite }
    const chosen = process.argv.slice(2)
    const unknown = chosen.find((name) => !(name in steps))
    if (unknown) throw new Failure(`There is no build step "${unknown}": choose from ${Object.keys(steps).join(', ')}.`)
    if (chosen.length > 0 && !existsSync(generated)) await buildWasm()
    for (const name of chosen.length > 0 ? chosen : Object.keys(steps)) await steps[name]()
  })
}
