// Random problems on the GPU against the float64 oracle, within the contract's accuracy.
// ATTENTION_SEED=n runs the problem of seed n alone.

import { loadAttention } from 'attention-playground'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contractTolerance, expectClose } from '../node/support/compare.ts'
import { type OracleProblem, oracle } from '../node/support/oracle.ts'
import { normals, randomProblem, stated } from './support/problems.ts'
import { type Target, targets } from './support/targets.ts'

const wasm = await loadAttention({ backend: 'wasm', workers: 0 })

const alone = process.env.ATTENTION_SEED
const counts = { node: 300, 'node, without subgroups': 200, chromium: 200 }

describe.each(Object.entries(targets))('random problems, %s', (name, open) => {
  let target: Target
  beforeAll(async () => {
    target = await open()
  })
  afterAll(() => target?.close())

  const count = counts[name as keyof typeof counts]
  const seeds = alone ? [Number(alone)] : Array.from({ length: count }, (_, i) => i + 1)
  // In tens, so that a failure is near its seed and a report stays short.
  const tens = seeds.filter((_, i) => i % 10 === 0).map((_, i) => seeds.slice(10 * i, 10 * i + 10))
  test.each(tens.map((ten) => [ten[0], ten.at(-1), ten] as const))('seeds %i to %i', async (_, __, ten) => {
    for (const seed of ten) {
      const problem = randomProblem(seed)
      const exact = oracle(problem)
      const tolerance = contractTolerance(exact, oracle(problem, Math.fround))
      const { batch, queryHeads, queries, valueDim, layout } = problem
      const shape = layout === 'bhtd' ? [batch, queryHeads, queries, valueDim] : [batch, queries, queryHeads * valueDim]
      expectClose(await target.output(stated(problem)), exact, tolerance, shape, `ATTENTION_SEED=${seed}`)
    }
  })

  test.skipIf(alone !== undefined)('weights of the first twenty seeds', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { v, ...problem } = stated(randomProblem(seed))
      // WebAssembly's own are tested against float64.
      const { weights, shape } = await wasm.weights({ ...problem, v })
      expectClose(await target.weights({ ...problem, v }), weights, 2e-5, shape, `ATTENTION_SEED=${seed}`)
    }
  })

  // Of several tiles of rows each: one that writes into another's would be found out by whichever is last.
  const several = [66, 70, 200, 300].map((queries, i) => [queries, i] as const)
  test.skipIf(alone !== undefined).each(several)('weights of %i queries', async (queries, i) => {
    const [D, group] = [[4, 5, 64, 3][i] as number, [1, 3, 2, 1][i] as number]
    const q = normals(2 * group * queries * D, queries)
    const k = normals(2 * queries * D, queries + 1)
    const given = { q, k, v: k, queries, keys: queries, headDim: D, queryHeads: 2 * group, kvHeads: 2 }
    // WebAssembly's own are tested against float64. Scores below 16 in size are exact to 2e-6.
    expectClose(await target.weights(given), (await wasm.weights(given)).weights, 4e-6, [
      1,
      2 * group,
      queries,
      queries,
    ])
  })
})

test.skipIf(alone !== undefined)('the problems cover what they are meant to', () => {
  const problems = Array.from({ length: counts.node }, (_, i) => randomProblem(i + 1))
  const has = (what: (problem: OracleProblem) => unknown) => problems.filter(what).length
  expect(has(({ queryHeads, kvHeads }) => queryHeads > kvHeads)).toBeGreaterThan(60)
  expect(has(({ window }) => window)).toBeGreaterThan(50)
  expect(has(({ queryPositions }) => queryPositions)).toBeGreaterThan(30)
  expect(has(({ keyPositions }) => keyPositions)).toBeGreaterThan(30)
  expect(has(({ allowed }) => allowed)).toBeGreaterThan(50)
  expect(has(({ bias }) => bias)).toBeGreaterThan(50)
  expect(has(({ softcap }) => softcap)).toBeGreaterThan(50)
  expect(has(({ k }) => Array.from(k).some((value) => !Number.isFinite(value)))).toBeGreaterThan(20)
  expect(has(({ headDim }) => headDim % 4 !== 0)).toBeGreaterThan(80)
  expect(has(({ headDim, valueDim }) => headDim % 4 === 0 && valueDim % 4 === 0)).toBeGreaterThan(60)
  expect(has(({ layout }) => layout === 'bthd')).toBeGreaterThan(80)
})
