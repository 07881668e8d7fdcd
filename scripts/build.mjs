// Builds what people use: the WebAssembly, the npm package and the site.
//   node scripts/build.mjs          all of it
//   node scripts/build.mjs wasm     build/wasm*, *.wgsl →  web/src/engine/generated
//   node scripts/build.mjs lib      web/src            →  dist/lib
//   node scripts/build.mjs site     web                →  dist/site

import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Failure, isProgram, main, root, run, say } from './lib/run.mjs'
import { inToolchain, packages, toolchain } from './setup.mjs'

export const generated = join(root, 'web/src/engine/generated')

/** The Embind modules: the CMake preset of each, and the target that makes its declarations. */
export const wasmModules = {
  'attention-simd': { preset: 'wasm', declarations: 'attention-declarations' },
  'attention-relaxed': { preset: 'wasm-relaxed', declarations: 'attention-declarations' },
  'attention-gpu': { preset: 'wasm', declarations: 'attention-gpu' },
}

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
  if (preset.startsWith('wasm')) cmake.unshift('emcmake')
  await inToolchain(cmake[0], cmake.slice(1), { output: 'text' })
  writeFileSync(stamp, JSON.stringify(wanted))
}

/** Builds targets of a preset that is configured. */
export async function build(preset, targets) {
  const jobs = String(availableParallelism())
  await inToolchain('cmake', ['--build', `build/${preset}`, '--parallel', jobs, '--target', ...targets])
}

/** Writes a file if its content differs, so that no watcher sees a change that is none. */
function writeChanged(file, content) {
  if (!existsSync(file) || !readFileSync(file).equals(Buffer.from(content))) writeFileSync(file, content)
}
const copyChanged = (from, to) => writeChanged(to, readFileSync(from))

export async function buildWasm() {
  await packages()
  buildShaders()
  for (const [name, { preset, declarations }] of Object.entries(wasmModules)) {
    say(`building ${name}.wasm`)
    await configure(preset)
    const targets = preset === 'wasm' ? [declarations] : []
    await build(preset, [`cpp/bindings/${name}.mjs`, ...targets])
    const built = join(root, 'build', preset, 'cpp/bindings')
    for (const ending of ['mjs', 'wasm'])
      copyChanged(join(built, `${name}.${ending}`), join(generated, `${name}.${ending}`))
    // TypeScript looks for a module's types beside it; the two builds have the same face.
    copyChanged(join(root, `build/wasm/cpp/bindings/${declarations}.d.ts`), join(generated, `${name}.d.mts`))
  }
}

/** The GPU's kernels as a module of texts, and WGSL's struct of uniforms from the core's. */
export function buildShaders() {
  const folder = join(root, 'web/src/engine/gpu')
  const header = readFileSync(join(root, 'cpp/include/attention/gpu_plan.hpp'), 'utf8')
  const [, members] = header.match(/struct GpuUniforms \{\n(.*?)\n\};/s)
  const types = { 'std::uint32_t': 'u32', float: 'f32' }
  const fields = [...members.matchAll(/^ *([\w:]+) (\w+) = .*?;/gm)].map(
    ([, type, name]) => `  ${name}: ${types[type]},\n`,
  )
  const shaders = { uniforms: `struct Uniforms {\n${fields.join('')}}\n` }
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.wgsl'))) {
    shaders[basename(file, '.wgsl')] = readFileSync(join(folder, file), 'utf8')
  }
  const type = `{ readonly [name in ${Object.keys(shaders)
    .map((name) => `'${name}'`)
    .join(' | ')}]: string }`
  mkdirSync(generated, { recursive: true })
  writeChanged(join(generated, 'shaders.mjs'), `export const shaders = ${JSON.stringify(shaders, undefined, 2)}\n`)
  writeChanged(join(generated, 'shaders.d.mts'), `export declare const shaders: ${type}\n`)
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
  await vite('vite.widget.ts')
  writeFileSync(join(lib, 'widget.d.ts'), 'export {}\n')
}

export async function buildSite() {
  say('building dist/site')
  await vite('vite.config.ts')
  await vite('vite.embed.ts')
}

const vite = (config) =>
  npmProgram('vite', 'vite/bin/vite.js', ['build', 'web', '--config', join(root, 'web', config), '--logLevel', 'warn'])

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
