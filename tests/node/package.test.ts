// The package as a user gets it: packed, unpacked into an empty folder whose path
// has spaces, imported from elsewhere, and its types read by TypeScript.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'a user of attention '))
const installed = join(folder, 'node_modules/attention-playground')

beforeAll(() => {
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: root })
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, String(tarball)), '--strip-components=1', '-C', installed])
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true }))

test('it holds what it needs and nothing else', () => {
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(manifest.dependencies).toBeUndefined()
})

test('node-import: it answers by import() from another directory', () => {
  writeFileSync(
    join(folder, 'use.mjs'),
    `import { loadAttention } from 'attention-playground'
     const attention = await loadAttention()
     const { output } = await attention.attend({ q: [0, 0], k: [0, 0], v: [1, 3], queries: 2, keys: 2, headDim: 1,
       allowed: [true, true, false, false], causal: false })
     console.log(JSON.stringify([...output]))`,
  )
  const printed = execFileSync(process.execPath, [join(folder, 'use.mjs')], { cwd: tmpdir(), encoding: 'utf8' })
  expect(JSON.parse(printed)).toEqual([2, 0])
})

test('node-import: CommonJS reaches it by import()', () => {
  writeFileSync(
    join(folder, 'use.cjs'),
    `import('attention-playground').then(async ({ loadAttention }) => {
       const { output } = (await loadAttention()).attendSync({ q: [0], k: [0, 0], v: [1, 3], queries: 1, keys: 2, headDim: 1 })
       console.log(output[0])
     })`,
  )
  expect(execFileSync(process.execPath, [join(folder, 'use.cjs')], { cwd: tmpdir(), encoding: 'utf8' }).trim()).toBe(
    '2',
  )
})

test('the widget is there by its name, with what it loads beside it', () => {
  const found = execFileSync(
    process.execPath,
    ['--input-type=module', '-e', "console.log(import.meta.resolve('attention-playground/widget'))"],
    { cwd: folder, encoding: 'utf8' },
  )
  const widget = fileURLToPath(found.trim())
  const beside = readFileSync(widget, 'utf8').match(/widget\/[\w-]+\.(?:wasm|js)/g) ?? []
  // Three builds of the WebAssembly, the worker and the exports.
  expect(new Set(beside).size, beside.join()).toBe(5)
  for (const file of beside) expect(existsSync(join(widget, '..', file)), file).toBe(true)
})

test('its types are found and say no to a wrong field', () => {
  const source = (field: string) =>
    `import { loadAttention, type Trace } from 'attention-playground'
     const attention = await loadAttention({ workers: 0 })
     const trace: Trace = attention.trace({ q: [0], k: [0], v: [1], queries: 1, keys: 1, headDim: 1, ${field} })
     export const weights: Float32Array = trace.weights\n`
  writeFileSync(join(folder, 'right.ts'), source('causal: true'))
  writeFileSync(join(folder, 'wrong.ts'), source('casual: true'))
  const check = (file: string) => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const flags = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--skipLibCheck',
      'false',
      '--types',
      '',
    ]
    try {
      return execFileSync(process.execPath, [tsc, ...flags, file], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
    } catch (error) {
      return String((error as { stdout: string }).stdout)
    }
  }
  expect(check('right.ts')).toBe('')
  expect(check('wrong.ts')).toMatch(/casual/)
}, 60_000)
