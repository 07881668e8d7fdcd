// Measures our attention beside other implementations and the machine's peak, all in
// one process: prints tables and writes build/bench.json. Times fail nothing; outputs
// that differ do.
//   npm run bench                        all of it
//   npm run bench -- --quick             less of it, in under a minute
//   npm run bench -- --only decode,six   some of it
//   npm run bench -- --gpu               WebGPU in Chromium on SwiftShader, and in Node on the machine's card
//   npm run bench -- --gpu --hardware    in Chromium too on the machine's card

import './bench/relaxed-simd.mjs'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { peers } from './bench/contestants.mjs'
import { loadEngines } from './bench/engines.mjs'
import { gpuSections } from './bench/gpu.mjs'
import { describeMachine } from './bench/machine.mjs'
import { buildPeaks } from './bench/peaks.mjs'
import { installPeers, peerVersions } from './bench/peers.mjs'
import { sections } from './bench/sections.mjs'
import { judge, showTargets } from './bench/targets.mjs'
import { buildLib, buildWasm } from './build.mjs'
import { Failure, main, root, say } from './lib/run.mjs'

/** How many seconds each contestant of a section gets, in how many rounds, and the fewest calls. */
const efforts = { full: { seconds: 4, rounds: 40, fewest: 5 }, quick: { seconds: 0.3, rounds: 10, fewest: 1 } }

function readOptions() {
  try {
    const flag = { type: 'boolean', default: false }
    return parseArgs({ options: { quick: flag, gpu: flag, hardware: flag, only: { type: 'string' } } }).values
  } catch (error) {
    throw new Failure(error.message)
  }
}

function chosenSections({ quick, gpu, only }) {
  const all = Object.keys(gpu ? gpuSections : sections)
  const chosen = only?.split(',') ?? all.filter((name) => !(quick && sections[name]?.slow))
  const unknown = chosen.find((name) => !all.includes(name))
  if (unknown !== undefined) throw new Failure(`There is no section "${unknown}": choose from ${all.join(', ')}.`)
  return chosen
}

await main(async () => {
  const options = readOptions()
  const chosen = chosenSections(options)
  await buildWasm()
  await buildLib()
  await buildPeaks()

  /** Contestants that this run does without, with the reason. */
  const leftOut = new Map()
  await installPeers().catch((error) => {
    say(error.message)
    for (const id of [...peers, 'onnx']) leftOut.set(id, 'npm could not install it')
  })
  const engines = await loadEngines(['plain', 'relaxed', 'pool'], leftOut)
  const context = {
    quick: options.quick,
    effort: efforts[options.quick ? 'quick' : 'full'],
    engines,
    leftOut,
    hardware: options.hardware,
  }
  const machine = describeMachine()
  console.log(
    `${machine.processor}, ${machine.cores} cores, Node ${machine.node}, load ${machine.loadBefore.toFixed(1)}`,
  )

  const results = {}
  for (const name of chosen) {
    const section = sections[name] ?? gpuSections[name]
    console.log(`\n${name}: ${section.title}`)
    results[name] = { title: section.title, ...(await section.run(context)) }
    console.log(section.show(results[name]))
  }
  for (const engine of Object.values(engines)) engine.dispose()

  const targets = judge(results)
  console.log('\nTargets: met by medians; the best times are what this machine can do when nothing else runs on it')
  console.log(showTargets(targets))
  mkdirSync(join(root, 'build'), { recursive: true })
  const report = {
    machine,
    quick: options.quick,
    peerVersions,
    leftOut: Object.fromEntries(leftOut),
    sections: results,
    targets,
  }
  writeFileSync(join(root, 'build/bench.json'), `${JSON.stringify(report, undefined, 2)}\n`)
  say('all numbers are in build/bench.json')
})
