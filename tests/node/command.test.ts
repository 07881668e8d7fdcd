import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const program = fileURLToPath(new URL('../../dist/lib/command/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'attention playground '))

afterAll(() => rmSync(folder, { recursive: true }))

function run(args: string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    input,
    encoding: 'utf8',
    cwd: folder,
  })
  return { status, stdout, stderr }
}

function file(name: string, content: string) {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

test('table prints the causal weights of the six tokens', () => {
  const { status, stdout, stderr } = run(['table'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const rows = stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s+/))
  expect(rows).toEqual([
    ['Your', '1.000', '·', '·', '·', '·', '·'],
    ['journey', '0.368', '0.632', '·', '·', '·', '·'],
    ['starts', '0.228', '0.389', '0.382', '·', '·', '·'],
    ['with', '0.205', '0.296', '0.292', '0.208', '·', '·'],
    ['one', '0.175', '0.225', '0.227', '0.157', '0.216', '·'],
    // 0.13847 in double precision.
    ['step', '0.138', '0.218', '0.213', '0.142', '0.099', '0.190'],
  ])
})

const problem = { q: [0], k: [0, 0], v: [1, 3], queries: 1, keys: 2, headDim: 1 }

test('attend solves a file and the standard input', () => {
  const content = JSON.stringify(problem)
  const answer = { status: 0, stdout: '{"shape":[1,1,1,1],"output":[2]}\n', stderr: '' }
  expect(run(['attend', file('with spaces.json', content)])).toEqual(answer)
  expect(run(['attend', '-'], content)).toEqual(answer)
})

test('attend reads and writes numbers that JSON lacks', () => {
  const { stdout } = run(['attend', '-'], JSON.stringify({ ...problem, v: [1, 'NaN'] }))
  expect(JSON.parse(stdout).output).toEqual(['NaN'])
  const masked = run(['attend', '-'], JSON.stringify({ ...problem, v: [1, 'NaN'], bias: [0, '-Infinity'] }))
  expect(JSON.parse(masked.stdout).output).toEqual([1])
})

test.each([
  ['an unknown command', ['dance'], '', /no command 'dance'/],
  ['a command of a later version', ['check', 'x.json'], '', /'check' is not part of this version/],
  ['an inherited name', ['constructor'], '', /no command 'constructor'/],
  ['no file', ['attend'], '', /takes one file/],
  ['a file that is not there', ['attend', 'absent.json'], '', /absent\.json can't be read/],
  ['a file that is not JSON', ['attend', '-'], '{', /not JSON/],
  ['a list', ['attend', '-'], '[]', /missing/],
  ['null', ['attend', '-'], 'null', /must be an object/],
  ['a wrong shape', ['attend', '-'], JSON.stringify({ ...problem, k: [0, 0, 0] }), /k must be .*\[1, 1, 2, 1\]/],
  ['arguments to table', ['table', 'x'], '', /takes no arguments/],
])('%s is one sentence and status 2', (_, args, input, sentence) => {
  const { status, stdout, stderr } = run(args, input)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(sentence)
  expect(stderr.trimEnd().split('\n').length).toBe(1)
})

test('help names the commands', () => {
  expect(run([]).stdout).toMatch(/table[\s\S]*attend FILE\.json/)
})
