import { expect, test } from 'vitest'
import { expectClose } from './support/compare.ts'
import { kernels, onEachBuild } from './support/engines.ts'

const x = [0.43, 0.15, 0.89, 0.55, 0.87, 0.66, 0.57, 0.85, 0.64, 0.22, 0.58, 0.33, 0.77, 0.25, 0.1, 0.05, 0.8, 0.55]
const problem = { q: x, k: x, v: x, queries: 6, keys: 6, headDim: 3, scale: 1 }

// Computed by hand in double precision, to four places.
const causalRows = [
  [1, 0, 0, 0, 0, 0],
  [0.368, 0.632, 0, 0, 0, 0],
  [0.228, 0.389, 0.382, 0, 0, 0],
  [0.205, 0.296, 0.292, 0.208, 0, 0],
  [0.175, 0.225, 0.227, 0.157, 0.216, 0],
  [0.1385, 0.2184, 0.2128, 0.142, 0.0988, 0.1896],
]

onEachBuild('the six tokens', (engine) => {
  test('unmasked, the row of journey', () => {
    const trace = engine().trace({ ...problem, causal: false })
    const row = (stage: Float32Array) => stage.subarray(6, 12)
    expectClose(row(trace.scores), [0.9544, 1.495, 1.4754, 0.8434, 0.707, 1.0865], 6e-5, [6], 'scores')
    expectClose(row(trace.weights), [0.1385, 0.2379, 0.2333, 0.124, 0.1082, 0.1581], 6e-5, [6], 'weights')
    expectClose(trace.output.subarray(3, 6), [0.4419, 0.6515, 0.5683], 6e-5, [3], 'output')
  })

  test('causal weights, row by row', () => {
    const { weights, hiddenBy, rowSum } = engine().trace(problem)
    expectClose(weights, causalRows.flat(), 6e-4, [6, 6], 'weights')
    for (let i = 0; i < 6; i++) {
      for (let j = i + 1; j < 6; j++) {
        expect(weights[i * 6 + j]).toBe(0)
        expect(engine().hiddenReasons[Math.log2(hiddenBy[i * 6 + j] as number)]).toBe('causal')
      }
    }
    expect(rowSum[0]).toBe(1)
    const unmasked = engine().trace({ ...problem, causal: false })
    expect(weights.subarray(30)).toEqual(unmasked.weights.subarray(30))
  })

  test.each(kernels)('attend with the %s kernel gives the traced output', async (kernel) => {
    const { output, shape } = await engine().attend({ ...problem, kernel })
    expect(shape).toEqual([1, 1, 6, 3])
    expectClose(output, engine().trace(problem).output, 1e-6, shape, 'output')
  })

  test.each(kernels)('a change of the last token leaves all earlier rows as they were, %s', (kernel) => {
    const changed = [...x.slice(0, 15), 9, -9, 9]
    const before = engine().attendSync({ ...problem, kernel }).output
    const after = engine().attendSync({ ...problem, q: changed, k: changed, v: changed, kernel }).output
    expect(after.subarray(0, 15)).toEqual(before.subarray(0, 15))
    expect(after.subarray(15)).not.toEqual(before.subarray(15))
  })

  test('a layer whose weights are identities gives the same', () => {
    const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    const layer = {
      x,
      wq: identity,
      wk: identity,
      wv: identity,
      wo: identity,
      modelDim: 3,
      headDim: 3,
      queries: 6,
      scale: 1,
    }
    const traced = engine().traceMultiHead(layer)
    expect(traced.weights).toEqual(engine().trace(problem).weights)
    expect(traced.output).toEqual(engine().trace(problem).output)
    expectClose(engine().multiHead(layer).output, traced.output, 1e-6, [1, 6, 3], 'output')
  })

  test('cost counts the triangle', () => {
    const cost = engine().cost({ queries: 6, keys: 6, headDim: 3 })
    expect(cost).toMatchObject({
      pairs: 36,
      visiblePairs: 21,
      flops: 4 * 36 * 3,
      visibleFlops: 4 * 21 * 3,
      scoreBytes: 144,
    })
    expect(cost.cacheBytesPerToken).toBe(2 * 3 * 4)
  })

  test('a prefix mask opens the first keys to everyone', () => {
    const { allowed, shape } = engine().mask({ rule: 'prefix', length: 2, queries: 3, keys: 3 })
    expect(shape).toEqual([3, 3])
    expect([...allowed]).toEqual([1, 1, 0, 1, 1, 0, 1, 1, 1])
  })
})
