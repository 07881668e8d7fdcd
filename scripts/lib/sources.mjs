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

/** Runs clang-format. Releases differ in what they print, so only Debian 13's counts. */
export async function clangFormat(options) {
  await toolchain()
  const version = await inToolchain('clang-format', ['--version'], { output: 'text' }).catch(() => 'none')
  if (!/version 19\./.test(version)) return say(`clang-format is skipped: it must be 19 and is "${version}"`)
  await inToolchain('clang-format', [...options, ...cppFiles('cpp', 'tests/cpp')])
}

export const biome = (options) => npmProgram('Biome', '@biomejs/biome/bin/biome', options)
