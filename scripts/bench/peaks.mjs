// What the machine can do at most, in the instructions of each WebAssembly build:
// cpp/bench/peak.cpp, as contestants that share the rounds with what they measure.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { build } from '../build.mjs'
import { root } from '../lib/run.mjs'

const presets = { relaxed: 'wasm-relaxed', plain: 'wasm' }
const operationsPerStep = 96
const valuesPerTurn = 48
const page = 65536

// x → factor · x + addend tends to 1, so that no sum becomes denormal or infinite.
const [factor, addend] = [0.999, 0.001]

export async function buildPeaks() {
  for (const preset of Object.values(presets)) await build(preset, ['cpp/bench/peak.wasm'])
}

function load(instructions) {
  const file = join(root, 'build', presets[instructions], 'cpp/bench/peak.wasm')
  return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file))).exports
}

const names = { relaxed: 'peak: relaxed madd', plain: 'peak: mul + add' }

/** Does steps of multiply-adds in registers, by code that V8 has optimised. */
export function multiplyAdds(instructions) {
  const { multiply_add_steps } = load(instructions)
  // One long call would stay in V8's baseline code to its end; short ones get it replaced.
  for (let call = 0; call < 50; call++) multiply_add_steps(20_000, factor, addend)
  return (steps) => multiply_add_steps(steps, factor, addend)
}

/** As many multiply-adds in registers as make `flops`: the time in which it could all be done. */
export function computePeak(instructions, flops) {
  const run = multiplyAdds(instructions)
  const steps = Math.round(flops / operationsPerStep)
  return { id: `peak-${instructions}`, name: names[instructions], run: () => run(steps) }
}

/** The same by `count` threads, each taking the next part when it is done: what cores that share a machine can do together. */
export function threadsPeak(instructions, flops, count) {
  const parts = 8 * count
  const steps = Math.round(flops / operationsPerStep / parts)
  const file = new URL('./peak-thread.mjs', import.meta.url)
  const threads = Array.from({ length: count }, () => new Worker(file, { workerData: instructions }))
  const run = async () => {
    let left = parts
    await Promise.all(
      threads.map(async (thread) => {
        while (left-- > 0) {
          const done = once(thread, 'message')
          thread.postMessage(steps)
          await done
        }
      }),
    )
  }
  return {
    id: 'peak-threads',
    name: `${names[instructions]}, ${count} threads`,
    run,
    close: () => Promise.all(threads.map((thread) => thread.terminate())),
  }
}

/** The sum of `size` values: the time in which they could all be read. */
export function memoryPeak(instructions, size) {
  const { memory, sum } = load(instructions)
  const at = memory.grow(Math.ceil((4 * size) / page)) * page
  new Float32Array(memory.buffer, at, size).fill(1)
  const whole = size - (size % valuesPerTurn)
  for (let call = 0; call < 50; call++) sum(at, 100 * valuesPerTurn)
  return { id: `peak-${instructions}`, name: `peak: sum over K and V, ${instructions}`, run: () => sum(at, whole) }
}
