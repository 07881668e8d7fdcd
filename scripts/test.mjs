// Runs every test, and ends with the line "N passed, N failed, N skipped".
//   npm test                  all suites
//   npm test -- native node   some of them

import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { build, buildLib, buildSite, buildWasm, configure, npmProgram } from './build.mjs'
import { readJson, readJunit } from './lib/results.mjs'
import { Failure, logTo, main, once, root, run, say } from './lib/run.mjs'
import { browser, catch2, everything, inToolchain, otherNodes, packages, python, toolchain, webgpu } from './setup.mjs'

const reports = join(root, 'build/test-results')

/**
 * A suite resolves to its results (lib/results.mjs), and may throw to fail as a whole.
 * The lanes run side by side: most tests use one core, and downloads none.
 */
const lanes = [
  {
    native: { title: 'C++, native', work: () => catch2Suite('native') },
    'native-avx2': { title: 'C++, native, vectors of 8', work: () => narrowerSuite('avx2') },
    'native-baseline': { title: 'C++, native, vectors of 4', work: () => narrowerSuite('baseline') },
    asan: { title: 'C++, native with sanitizers', work: () => catch2Suite('asan') },
    fuzz: { title: 'C++, fuzzed for a minute', work: fuzzSuite },
    install: { title: 'C++, installed and found by another CMake project', work: installSuite },
  },
  {
    wasm: { title: 'C++, WebAssembly in Node', work: () => catch2Suite('wasm') },
    relaxed: { title: 'C++, WebAssembly with relaxed SIMD in Node', work: () => catch2Suite('wasm-relaxed') },
    node: { title: 'npm package', work: () => vitestSuite('node') },
    nodes: { title: 'npm package, on each Node version', work: nodesSuite },
    browser: { title: 'the site in Chromium', work: () => vitestSuite('browser') },
    gpu: { title: 'WebGPU in Node and in Chromium', work: () => vitestSuite('gpu') },
    mesa: { title: "WebGPU on Mesa's GPU in software, which has float16 and larger subgroups", work: mesaSuite },
  },
]
const suites = Object.assign({}, ...lanes)

const wasm = once(buildWasm)
const lib = once(async () => {
  await wasm()
  await buildLib()
})
const site = once(async () => {
  await wasm()
  await buildSite()
})

/** A program's results; that it failed without a failed test is a failure too. */
function resultsOf(results, status) {
  if (status !== 0 && !results.some(({ failure }) => failure !== undefined)) {
    results.push({ name: 'the test program', failure: `It ended with status ${status} though no test failed.` })
  }
  return results
}

/** Builds the C++ tests of a preset. */
async function buildTests(preset) {
  const archive = await catch2()
  await configure(preset, ['ATTENTION_TESTS=ON', ...(archive ? [`ATTENTION_CATCH2_ARCHIVE=${archive}`] : [])])
  await build(preset, ['attention_tests'])
}

async function catch2Suite(preset) {
  await buildTests(preset)
  const file = join(reports, `${preset}.xml`)
  const options = ['--reporter', 'console', '--reporter', `junit::out=${file}`]
  const program = `build/${preset}/tests/cpp/attention_tests`
  const status = preset.startsWith('wasm')
    ? await run(process.execPath, [...relaxedFlags(preset), `${program}.cjs`, ...options], anyStatus)
    : await inToolchain(program, options, anyStatus)
  return resultsOf(readJunit(file), status)
}

/** The native tests again, on narrower vectors than the machine has. */
async function narrowerSuite(width) {
  if (process.arch !== 'x64') return [{ name: width, skip: 'only processors of the x86-64 family have several widths' }]
  await buildTests('native')
  const file = join(reports, `native-${width}.xml`)
  const options = ['--reporter', 'console', '--reporter', `junit::out=${file}`]
  const env = { ATTENTION_WIDTH: width }
  const status = await inToolchain('build/native/tests/cpp/attention_tests', options, { ...anyStatus, env })
  return resultsOf(readJunit(file), status)
}

/** libFuzzer over the whole description of a problem; a crash leaves its input in build/fuzz. */
async function fuzzSuite() {
  const name = 'attention_fuzz'
  const missing = await inToolchain('sh', ['-c', 'command -v clang++ >/dev/null'], anyStatus)
  if (missing) return [{ name, skip: 'libFuzzer needs clang++, which this machine has not' }]
  await toolchain()
  await configure('fuzz', [])
  await build('fuzz', [name])
  const options = [
    '-max_total_time=60',
    '-max_len=4096',
    '-artifact_prefix=build/fuzz/',
    '-verbosity=0',
    '-print_final_stats=1',
  ]
  const status = await inToolchain(`build/fuzz/tests/cpp/fuzz/${name}`, options, anyStatus)
  return [status ? { name, failure: `it ended with status ${status}` } : { name }]
}

const anyStatus = { allowed: Array.from({ length: 256 }, (_, status) => status) }

/** Node 20 has relaxed SIMD behind a flag, which later versions no longer know. */
function relaxedFlags(preset) {
  const old = Number(process.versions.node.split('.')[0]) < 22
  return preset === 'wasm-relaxed' && old ? ['--experimental-wasm-relaxed-simd'] : []
}

/** The library is installed, and a project in an otherwise empty folder finds and uses it. */
async function installSuite() {
  await configure('native')
  await build('native', ['attention'])
  const folder = mkdtempSync('/tmp/attention install ')
  try {
    const project = join(folder, 'project')
    cpSync(join(root, 'tests/cpp/install'), project, { recursive: true })
    const quiet = { output: 'text' }
    await inToolchain('cmake', ['--install', 'build/native', '--prefix', join(folder, 'prefix')], quiet)
    await inToolchain(
      'cmake',
      ['-G', 'Ninja', '-S', project, '-B', join(folder, 'build'), `-DCMAKE_PREFIX_PATH=${join(folder, 'prefix')}`],
      quiet,
    )
    await inToolchain('cmake', ['--build', join(folder, 'build')], quiet)
    await inToolchain(join(folder, 'build/consumer'), [])
    return [{ name: 'find_package(attention) from an empty folder' }]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function vitestSuite(project) {
  await packages()
  await lib()
  const env = {}
  if (project === 'node') {
    // Exported programs are compiled and run.
    await toolchain()
    env.PYTHON_PATH = await python()
  } else {
    await site()
    env.CHROME_PATH = await browser()
  }
  if (project === 'gpu') Object.assign(env, await webgpu())
  return vitestResults(project, env, (options, settings) =>
    npmProgram('Vitest', 'vitest/vitest.mjs', options, settings),
  )
}

/** `start` runs Vitest with the options and the settings of run() that it is given. */
async function vitestResults(project, env, start) {
  const file = join(reports, `${project}.json`)
  const options = ['run', '--config', 'tests/vitest.config.ts', '--project', project, '--reporter=default']
  options.push(`--reporter=${join(root, 'scripts/lib/vitest-results.mjs')}`)
  const status = await start(options, { ...anyStatus, env: { ...env, RESULTS_FILE: file } })
  return resultsOf(readJson(file), status)
}

/**
 * Some of the GPU's tests on Mesa's lavapipe, where the compilers are: it has what SwiftShader
 * lacks, float16 and subgroups that are no quads. In the newest Node, which has Float16Array.
 */
async function mesaSuite() {
  const driver = '/usr/share/vulkan/icd.d/lvp_icd.json'
  // Whatever else is amiss there is no reason to skip.
  await toolchain()
  const node = (await otherNodes()).at(-1)
  if (!node) return [{ name: 'lavapipe', skip: 'npm has a Node with Float16Array for Linux on x64 only' }]
  if (await inToolchain('test', ['-f', driver], anyStatus)) {
    return [{ name: 'lavapipe', skip: `where the compilers are there is no ${driver}, of Mesa 25 or newer` }]
  }
  await packages()
  await lib()
  const { WEBGPU_MODULE } = await webgpu()
  const env = { WEBGPU_MODULE, VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver, MESA_SHADER_CACHE_DISABLE: 'true' }
  return vitestResults('mesa', env, (options, settings) =>
    inToolchain(node, ['node_modules/vitest/vitest.mjs', ...options], settings),
  )
}

/** The built package on each Node version, this one first. */
async function nodesSuite() {
  await packages()
  await lib()
  const results = []
  for (const node of [process.execPath, ...(await otherNodes())]) {
    const version = await run(node, ['--version'], { output: 'text' })
    const status = await run(node, ['tests/node/matrix.mjs'], anyStatus)
    results.push({ name: `Node ${version}`, ...(status ? { failure: `matrix.mjs ended with status ${status}` } : {}) })
  }
  if (results.length === 1) results.push({ name: 'other Node versions', skip: 'npm has them for Linux on x64 only' })
  return results
}

async function runSuite(name, live) {
  const { title, work } = suites[name]
  const start = Date.now()
  const log = join(reports, `${name}.log`)
  const file = openSync(log, 'w')
  let results
  say(`${title}…`)
  try {
    results = await (live ? work() : logTo(file, work))
    if (results.length === 0) throw new Failure('It ran no test.')
  } catch (error) {
    const failure = error instanceof Failure ? error.message : String(error.stack)
    writeSync(file, `${failure}\n`)
    results = [{ name: 'the suite as a whole', failure }]
  }
  closeSync(file)
  const seconds = Math.round((Date.now() - start) / 1000)
  const numbers = `${countPassed(results)} passed, ${count(results, 'failure')} failed, ${count(results, 'skip')} skipped`
  const line = `${title}: ${numbers} in ${seconds} s`
  process.stdout.write(`\n${readFileSync(log)}`)
  say(line)
  return { name, line, results }
}

const count = (results, kind) => results.filter((result) => result[kind] !== undefined).length
const countPassed = (results) => results.length - count(results, 'failure') - count(results, 'skip')

await main(async () => {
  const chosen = process.argv.slice(2)
  const unknown = chosen.find((name) => !(name in suites))
  if (unknown) throw new Failure(`There is no suite "${unknown}": choose from ${Object.keys(suites).join(', ')}.`)
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })

  const wanted = chosen.length > 0 ? chosen : Object.keys(suites)
  // What is missing comes while the first suites are built; whoever needs it waits for it and fails with it.
  if (chosen.length === 0) everything().catch(() => {})
  const ran = []
  const runLane = async (lane) => {
    for (const name of wanted.filter((name) => name in lane)) ran.push(await runSuite(name, wanted.length === 1))
  }
  await Promise.all(lanes.map(runLane))

  console.log()
  for (const { name, results } of ran) {
    for (const result of results) {
      if (result.failure !== undefined) console.log(`failed: ${name}: ${result.name}`)
      else if (result.skip !== undefined) console.log(`skipped: ${name}: ${result.name}: ${result.skip}`)
    }
  }
  for (const { line } of ran) console.log(line)
  const all = ran.flatMap(({ results }) => results)
  const failed = count(all, 'failure')
  console.log(`${countPassed(all)} passed, ${failed} failed, ${count(all, 'skip')} skipped`)
  return failed > 0 ? 1 : 0
})
