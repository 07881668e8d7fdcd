// What the machine can do at most, in the instructions of each WebAssembly build:
// cpp/bench/peak.cpp, as contestants that share the rounds with what they measure.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** As many multiply-adds in registers as make `flops`: the time in which it could all be done. */
export function computePeak(instructions, flops) {
  const { multiply_add_steps } = load(instructions)
  const steps = Math.round(flops / operationsPerStep)
  // One long call would stay in V8's baseline code to its end; short ones get it replaced.
  for (let call = 0; call < 50; call++) multiply_add_steps(20_000, factor, addend)
  return {
    id: `peak-${instructions}`,
    name: instructions === 'relaxed' ? 'peak: relaxed madd' : 'peak: mul + add',
    run: () => multiply_add_steps(steps, factor, addend),
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
