// Solves a problem in a process of its own, where V8 has optimised nothing yet and
// no memory has grown: prints what inFreshProcess() resolves to.

import './relaxed-simd.mjs'
import { fileURLToPath } from 'node:url'
import { isProgram, main, run } from '../lib/run.mjs'
import { engineOf, makeContestants } from './contestants.mjs'
import { loadEngines } from './engines.mjs'
import { time } from './measure.mjs'
import { problemOf, tensorBytes } from './problem.mjs'

const file = fileURLToPath(import.meta.url)

/**
 * The milliseconds of each call of the contestant `id`, the bytes of WebAssembly memory
 * that it holds after them, and how many of these are beyond inputs and output.
 */
export async function inFreshProcess(id, shape, calls) {
  const text = await run(process.execPath, [file, JSON.stringify({ id, shape, calls })], { output: 'text' })
  return JSON.parse(text)
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const { id, shape, calls } = JSON.parse(process.argv[2])
    const leftOut = new Map()
    const engine = engineOf(id)
    const engines = await loadEngines(engine ? [engine] : [], leftOut)
    const problem = problemOf(shape)
    const [contestant] = await makeContestants([id], problem, { engines, leftOut })
    const times = []
    for (let call = 0; call < calls; call++) times.push(await time(contestant.run))
    const heldBytes = contestant.heldBytes()
    console.log(JSON.stringify({ times, heldBytes, extraBytes: heldBytes - tensorBytes(problem) }))
    engines[engine]?.dispose()
  })
}
