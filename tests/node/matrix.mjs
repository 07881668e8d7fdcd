// Run by each Node version that the package supports: the worked example from the
// built package on the WebAssembly builds that this Node has. Prints one line.

import assert from 'node:assert/strict'
import { loadAttention } from 'attention-playground'

const x = [0.43, 0.15, 0.89, 0.55, 0.87, 0.66, 0.57, 0.85, 0.64, 0.22, 0.58, 0.33, 0.77, 0.25, 0.1, 0.05, 0.8, 0.55]
const expected = [0.1385, 0.2184, 0.2128, 0.142, 0.0988, 0.1896]

const best = await loadAttention()
// Relaxed SIMD is on from Node 21; a newer Node that fell back would be a fault.
assert.equal(best.info.simd, Number(process.versions.node.split('.')[0]) >= 21 ? 'relaxed' : 'simd')

for (const attention of [best, await loadAttention({ simd: 'simd' })]) {
  const { weights } = attention.trace({ q: x, k: x, v: x, queries: 6, keys: 6, headDim: 3, scale: 1 })
  expected.forEach((weight, j) => {
    assert.ok(Math.abs(weights[30 + j] - weight) < 6e-5, `weight [5, ${j}] is ${weights[30 + j]}, expected ${weight}`)
  })
}

// Float16Array came with Node 24: its numbers are taken, and it is no boolean mask.
if (globalThis.Float16Array) {
  const half = Float16Array.from(x)
  const problem = { q: half, k: half, v: half, queries: 6, keys: 6, headDim: 3, scale: 1 }
  const floats = Object.fromEntries(['q', 'k', 'v'].map((name) => [name, Float32Array.from(half)]))
  const right = [...best.attendSync({ ...problem, ...floats }).output]
  assert.deepEqual([...best.attendSync(problem).output], right)
  assert.throws(() => best.attendSync({ ...problem, allowed: Float16Array.from({ length: 36 }, () => 1) }), /allowed/)
}

console.log(`Node ${process.versions.node}: ${best.info.simd} and simd give the worked example`)
