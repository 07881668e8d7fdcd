// What is the same to the last bit, wherever the kernels run.

import { loadAttention } from 'attention-playground'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectClose } from '../node/support/compare.ts'
import { problemOf } from './support/problems.ts'
import { type Target, targets } from './support/targets.ts'

const wasm = await loadAttention({ backend: 'wasm', workers: 0 })

describe.each(Object.entries(targets))('in %s', (_, open) => {
  let target: Target
  beforeAll(async () => {
    target = await open()
  })
  afterAll(() => target?.close())

  test('run-to-run: bit for bit, with other problems between', async () => {
    const given = problemOf({ queries: 64, keys: 64, headDim: 72 })
    const between = [
      problemOf({ queries: 1, keys: 300, headDim: 5, valueDim: 9 }),
      problemOf({ queryHeads: 6, kvHeads: 2, queries: 33, keys: 17, headDim: 72, valueDim: 3 }),
    ]
    const first = await target.output(given)
    expectClose(first, wasm.attendSync(given).output, 1e-5, [64, 72])
    for (let call = 0; call < 10; call++) {
      await target.output(between[call % 2] as (typeof between)[0])
      expect(await target.output(given)).toEqual(first)
    }
  })

  test('the last token of a prefill is the decoding step, bit for bit', async () => {
    const headDim = 64
    // The last row of the prefill is in each of eight lanes in turn, that of the step in the first.
    for (let keys = 97; keys <= 104; keys++) {
      const whole = problemOf({ queries: keys, keys, headDim })
      const last = (await target.output(whole)).slice(-headDim)
      expect(await target.output({ ...whole, q: whole.q.slice(-headDim), queries: 1 })).toEqual(last)
    }
  })

  test('what is hidden changes no bit, whatever it is', async () => {
    const clean = problemOf({ queries: 40, keys: 70, headDim: 8 })
    const allowed = Uint8Array.from({ length: 40 * 70 }, (_, i) => (i % 70 === 33 || i % 3 === 0 ? 0 : 1))
    const masked = { ...clean, allowed, causal: false }
    const expected = await target.output(masked)
    for (const poison of [Number.NaN, Infinity, -Infinity, 3e38]) {
      const k = clean.k.slice().fill(poison, 33 * 8, 34 * 8)
      const v = clean.v.slice().fill(poison, 33 * 8, 34 * 8)
      expect(await target.output({ ...masked, k, v }), String(poison)).toEqual(expected)
    }
  })
})
