// The formatters and linters, shared by check and format.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { npmProgram } from '../build.mjs'
import { inToolchain, toolchain } from '../setup.mjs'
import { root, say } from './run.mjs'

/** The C++ files below some folders of the checkout. */
export const cppFiles = (...folders) =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => /\.(cpp|hpp)$/.test(name))
      .map((name) => join(folder, name))
      .sort(),
  )

/** Whether a Clang tool is Debian 13's. Other releases print and object to other things, so they are skipped aloud. */
export async function is19(program) {
  await toolchain()
  const version = await inToolchain(program, ['--version'], { output: 'text' }).catch(() => 'not there')
  if (/version 19\./.test(version)) return true
  say(`${program} is skipped: it must be 19, and is ${version.match(/version \S+/)?.[0] ?? 'not there'}`)
  return false
}

export async function clangFormat(options) {
  if (await is19('clang-format')) await inToolchain('clang-format', [...options, ...cppFiles('cpp', 'tests/cpp')])
}

export const biome = (options) => npmProgram('Biome', '@biomejs/biome/bin/biome', options)
