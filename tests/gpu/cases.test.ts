// Situations from the field on the GPU, each test named after its id. Unless a row
// differs, B = H = 1, D = Dv = 1, scale 1 and q = 0: every visible key has equal
// weight, so an output row is the mean of the values that it sees.

import type { Problem } from 'attention-playground'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectClose } from '../node/support/compare.ts'
import { type Target, targets } from './support/targets.ts'

const mean = (queries: number, v: number[], rest: Partial<Problem> = {}): Problem => ({
  ...{ q: new Float32Array(queries), k: new Float32Array(v.length), v },
  ...{ queries, keys: v.length, headDim: 1, scale: 1, ...rest },
})
const filled = (count: number, value: number) => new Array<number>(count).fill(value)

describe.each(Object.entries(targets))('in %s', (_, open) => {
  let target: Target
  beforeAll(async () => {
    target = await open()
  })
  afterAll(() => target?.close())

  const expectOutput = async (problem: Problem, right: number[], tolerance = 1e-5) =>
    expectClose(await target.output(problem), right, tolerance, [right.length])

  test('the adapter is named, and computes', async () => {
    const info = await target.info()
    expect(info.backend).toBe('webgpu')
    expect(info.adapter).toMatch(/\w/)
    expect(info.why).toMatch(/asked for/)
  })

  test('full-mask-row', async () => {
    const given = mean(2, [1, 3], { causal: false })
    for (const mask of [{ allowed: [1, 1, 0, 0] }, { bias: [0, 0, -Infinity, -Infinity] }] as Partial<Problem>[]) {
      const output = await target.output({ ...given, ...mask })
      expect(output).toEqual([2, 0])
      expect(await target.weights({ ...given, ...mask })).toEqual([0.5, 0.5, 0, 0])
    }
    expect(await target.output({ ...given, causal: true, queryPositions: [1, -1] })).toEqual([2, 0])
  })

  test('causal-T<S', async () => {
    await expectOutput(mean(2, [1, 2, 3, 4]), [2, 2.5])
    await expectOutput(mean(2, [1, 2, 3, 4], { queryPositions: [0, 1] }), [1, 1.5])
  })

  test('decode-offset', async () => {
    await expectOutput(mean(5, [1, 2, 3, 4, 5]), [1, 1.5, 2, 2.5, 3])
    await expectOutput(mean(1, [1, 2, 3, 4, 5]), [3])
    await expectOutput(mean(2, [1, 2, 3, 4, 5]), [2.5, 3])
  })

  test('gqa-map', () =>
    expectOutput(mean(1, [10, 20], { q: filled(4, 0), keys: 1, queryHeads: 4, kvHeads: 2 }), [10, 10, 20, 20], 0))

  test('mask-bool-vs-float', async () => {
    await expectOutput(mean(1, [1, 3], { allowed: [true, false] }), [1], 0)
    await expectOutput(mean(1, [1, 3], { bias: [1, 0] }), [1.53788])
  })

  test('mask-broadcast', async () => {
    const given = {
      ...{ q: filled(4, 0), k: filled(8, 0), v: [1, 3, 1, 3, 1, 3, 1, 3], batch: 2, queryHeads: 2 },
      ...{ queries: 1, keys: 2, headDim: 1, scale: 1 },
    }
    await expectOutput({ ...given, allowed: [1, 0, 0, 1], allowedShape: [2, 1, 1, 2] }, [1, 1, 3, 3], 0)
    await expectOutput({ ...given, bias: [0, -Infinity, -Infinity, 0], biasShape: [2, 1, 1, 2] }, [1, 1, 3, 3], 0)
    await expectOutput({ ...given, allowed: [1, 0, 0, 1], allowedShape: [2, 1, 2] }, [1, 3, 1, 3], 0)
  })

  test('tile-all-masked', async () => {
    const values = Array.from({ length: 130 }, (_, j) => j)
    for (const key of [0, 63, 64, 129]) {
      const bias = values.map((j) => (j === key ? 0 : -Infinity))
      await expectOutput(mean(1, values, { causal: false, bias, biasShape: [1, 130] }), [key], 0)
      const allowed = values.map((j) => (j === key ? 1 : 0))
      await expectOutput(mean(1, values, { causal: false, allowed, allowedShape: [1, 130] }), [key], 0)
    }
  })

  test('exp-range', async () => {
    const units = { v: [1, 0, 0, 1], valueDim: 2 }
    const small = 1 / (1 + Math.exp(10))
    await expectOutput(mean(1, [0, 0], { q: [100], k: [100, 99.9], ...units }), [1 - small, small], 1e-7)
    const far = mean(1, [1, 0, 0, 0], { q: [1], k: [0, -88.5, -104, -1e30] })
    await expectOutput(far, [1], 0.5e-6)
    const weights = await target.weights(far)
    for (const weight of weights) expect(Number.isFinite(weight) && weight >= 0).toBe(true)
    // exp itself: the second weight of scores 0 and -x is exp(-x) / (1 + exp(-x)).
    const count = 110 * 16
    const q = Float32Array.from({ length: count }, (_, i) => i / 16)
    const rows = await target.weights(mean(count, [0, 0], { q, k: [0, -1], causal: false }))
    q.forEach((x, i) => {
      const right = Math.exp(-x) / (1 + Math.exp(-x))
      const allowed = (4e-7 + 6.5e-8 * x) * right + 2e-38
      expect(Math.abs((rows[2 * i + 1] as number) - right), `exp(-${x})`).toBeLessThanOrEqual(allowed)
    })
  })

  test('softcap-order', async () => {
    await expectOutput(mean(1, [1, 3], { softcap: 1, allowed: [1, 0] }), [1], 0)
    await expectOutput(mean(1, [1, 3], { softcap: 1, bias: [-30, 30] }), [3])
  })

  test('softcap is as exact as the rest: WGSL allows its own tanh 1e-5', async () => {
    const q = Float32Array.from({ length: 400 }, (_, i) => (i - 200) / 20)
    const right = Array.from(q, (x) => {
      const score = 4 * Math.tanh(x / 4)
      return 1 / (1 + Math.exp(-score))
    })
    await expectOutput(mean(400, [1, 0], { q, k: [1, 0], softcap: 4, causal: false }), right, 1e-6)
  })

  test('default-scale-Dv', () =>
    expectOutput(
      {
        ...{ q: filled(64, 1), k: Array.from({ length: 128 }, (_, i) => (i % 32 < 16 ? 0.25 : 0)) },
        ...{ v: Array.from({ length: 24 }, (_, i) => (i % 6 < 3 ? 1 : 0)), queryHeads: 4 },
        ...{ queries: 1, keys: 2, headDim: 16, valueDim: 3 },
      },
      filled(12, 0.731059),
      1e-6,
    ))

  test('odd-D', async () => {
    for (const dim of [1, 3, 5, 7, 9, 17, 63, 65]) {
      for (const valueDim of [1, 3]) {
        const k = Array.from({ length: 2 * dim }, (_, i) => (i < dim ? 1 : 0))
        const v = Array.from({ length: 2 * valueDim }, (_, i) => (i < valueDim ? 1 : 0))
        const given = { q: filled(dim, 1), k, v, queries: 1, keys: 2, headDim: dim, valueDim, scale: 1 / dim }
        await expectOutput(given, filled(valueDim, 0.731059), 1e-6)
      }
    }
  })

  test('empty-axes', async () => {
    const none = { q: filled(2, 0), k: [], v: [], queries: 2, keys: 0, headDim: 1, valueDim: 3 }
    await expectOutput(none, filled(6, 0), 0)
    expect(await target.weights(none)).toEqual([])
    await expectOutput({ ...none, q: [], queries: 0 }, [])
    await expect(target.output({ ...none, headDim: 0 })).rejects.toThrow(/headDim/)
    await expectOutput(mean(2, [1, 3]), [1, 2])
  })

  test('window-size', async () => {
    await expectOutput(mean(5, [1, 2, 3, 4, 5], { window: 2 }), [1, 1.5, 2.5, 3.5, 4.5])
    await expectOutput(
      mean(5, [1, 2, 3, 4, 5], { causal: false, window: { left: 0, right: 1 } }),
      [1.5, 2.5, 3.5, 4.5, 5],
    )
    await expectOutput(mean(5, [1, 2, 3, 4, 5], { window: 1000 }), [1, 1.5, 2, 2.5, 3])
  })

  test('masked-NaN-leak', async () => {
    for (const poison of [Number.NaN, Infinity, -Infinity]) {
      for (const k of [
        [0, 0],
        [0, poison],
      ]) {
        await expectOutput(mean(1, [1, poison], { k, allowed: [1, 0] }), [1], 0)
        await expectOutput(mean(1, [1, poison], { k, bias: [0, -Infinity] }), [1], 0)
        await expectOutput(mean(1, [1, poison], { k, queryPositions: [0] }), [1], 0)
      }
    }
  })

  test('a visible NaN stays visible, and to those who see it only', async () => {
    expect(await target.output(mean(3, [1, Number.NaN, 3]))).toEqual([1, Number.NaN, Number.NaN])
    const q = filled(3, 1)
    expect(await target.output(mean(3, [1, 2, 3], { q, k: [0, Number.NaN, 0] }))).toEqual([1, Number.NaN, Number.NaN])
  })

  test('left-pad', async () => {
    for (const padding of [0, 1e30, Number.NaN, Infinity]) {
      const given = {
        ...{ q: [0, 0, 0, 0, padding, padding, 0, 0], k: [0, 0, 0, 0, padding, padding, 0, 0] },
        ...{ v: [1, 2, 3, 4, padding, padding, 1, 2], batch: 2, queries: 4, keys: 4, headDim: 1, scale: 1 },
      }
      const right = [1, 1.5, 2, 2.5, 0, 0, 1, 1.5]
      await expectOutput({ ...given, allowed: [1, 1, 1, 1, 0, 0, 1, 1], allowedShape: [2, 1, 1, 4] }, right)
      const positions = { queryPositions: [0, 1, 2, 3, -2, -1, 0, 1], keyPositions: [0, 1, 2, 3, 9, 9, 0, 1] }
      await expectOutput({ ...given, ...positions }, right)
    }
  })
})
