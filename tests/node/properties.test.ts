// Random problems over the whole JavaScript face against the float64 oracle.

import type { Problem } from 'attention-playground'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contractTolerance, expectClose } from './support/compare.ts'
import { kernels, onEachBuild } from './support/engines.ts'
import { type OracleProblem, oracle } from './support/oracle.ts'

const finite = fc.double({ min: -3, max: 3, noNaN: true }).map(Math.fround)
const values = (length: number) => fc.array(finite, { minLength: length, maxLength: length })

const shape = fc.record({
  batch: fc.integer({ min: 1, max: 2 }),
  kvHeads: fc.integer({ min: 1, max: 3 }),
  group: fc.integer({ min: 1, max: 3 }),
  queries: fc.integer({ min: 0, max: 12 }),
  keys: fc.integer({ min: 0, max: 60 }),
  headDim: fc.integer({ min: 1, max: 9 }),
  valueDim: fc.integer({ min: 1, max: 9 }),
})

const problems: fc.Arbitrary<OracleProblem> = shape.chain((s) => {
  const queryHeads = s.kvHeads * s.group
  const pairs = s.batch * queryHeads * s.queries * s.keys
  const positions = (count: number) =>
    fc.option(
      fc.oneof(
        ...[count, s.batch * count].map((length) =>
          fc.array(fc.integer({ min: -5, max: 65 }), { minLength: length, maxLength: length }),
        ),
      ),
      { nil: undefined },
    )
  const side = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined })
  return fc.record({
    ...{ q: values(s.batch * queryHeads * s.queries * s.headDim), k: values(s.batch * s.kvHeads * s.keys * s.headDim) },
    v: values(s.batch * s.kvHeads * s.keys * s.valueDim),
    ...{ batch: fc.constant(s.batch), queryHeads: fc.constant(queryHeads), kvHeads: fc.constant(s.kvHeads) },
    ...{ queries: fc.constant(s.queries), keys: fc.constant(s.keys) },
    ...{ headDim: fc.constant(s.headDim), valueDim: fc.constant(s.valueDim) },
    layout: fc.constantFrom('bhtd' as const, 'bthd' as const),
    causal: fc.boolean(),
    window: fc.option(fc.record({ left: side, right: side }), { nil: undefined }),
    queryPositions: positions(s.queries),
    keyPositions: positions(s.keys),
    allowed: fc.option(fc.array(fc.integer({ min: 0, max: 1 }), { minLength: pairs, maxLength: pairs }), {
      nil: undefined,
    }),
    bias: fc.option(fc.array(fc.oneof(finite, fc.constant(-Infinity)), { minLength: pairs, maxLength: pairs }), {
      nil: undefined,
    }),
    scale: fc.option(finite, { nil: undefined }),
    softcap: fc.option(fc.double({ min: 0.5, max: 30, noNaN: true }).map(Math.fround), { nil: undefined }),
  })
})

/** The same problem in the fields of the package; full masks say their shape. */
function stated(p: OracleProblem): Problem {
  const full = [p.batch, p.queryHeads, p.queries, p.keys]
  return {
    ...p,
    allowedShape: p.allowed && full,
    biasShape: p.bias && full,
  }
}

onEachBuild('random problems', (engine) => {
  test.each(kernels)('the %s kernel agrees with float64', (kernel) => {
    fc.assert(
      fc.property(problems, (p) => {
        const exact = oracle(p)
        const tolerance = contractTolerance(exact, oracle(p, Math.fround))
        const { output, shape: axes } = engine().attendSync({ ...stated(p), kernel })
        expectClose(output, exact, tolerance, axes, kernel)
      }),
      { numRuns: 150 },
    )
  })

  test('weights sum to 1, or to 0 where nothing is visible', () => {
    fc.assert(
      fc.property(problems, (p) => {
        const { weights, hiddenBy } = engine().trace(stated(p))
        for (let row = 0; row < p.batch * p.queryHeads * p.queries; row++) {
          const at = row * p.keys
          const sees = hiddenBy.subarray(at, at + p.keys).some((reasons) => reasons === 0)
          const sum = weights.subarray(at, at + p.keys).reduce((total, weight) => total + weight, 0)
          expect(Math.abs(sum - (sees ? 1 : 0))).toBeLessThan(1e-5)
        }
      }),
      { numRuns: 100 },
    )
  })
})
