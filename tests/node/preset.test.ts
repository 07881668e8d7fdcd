import { AttentionError, type Preset } from 'attention-playground'
import { expect, test } from 'vitest'
import { expectClose } from './support/compare.ts'
import { onEachBuild } from './support/engines.ts'

const sizes = { queries: 6, headDim: 3, modelDim: 3 }

onEachBuild('layers to start from', (engine) => {
  test('random numbers are the same everywhere', () => {
    const { wq } = engine().preset({ preset: 'random', queries: 2, headDim: 3, modelDim: 3, seed: 1 })
    expectClose(wq, [-0.21, 0.07, 0.33, 0.05, -0.02, 0.46, -0.45, -0.04, 0.09].map(Math.fround), 0, [3, 3], 'wq')
  })

  test('the worked layers too', () => {
    const { x, wq } = engine().preset({ preset: 'previous-token', ...sizes })
    expectClose(wq, [8.5, 14.722425, 0, -14.722425, 8.5, 0, 0, 0, 0].map(Math.fround), 0, [3, 3], 'wq')
    expectClose(x.subarray(0, 6), [1, 0, 0, 0.5, 0.866025, 0].map(Math.fround), 0, [2, 3], 'x')
  })

  test('fields left out are the defaults of a layer', () => {
    const { x, context, wq, wk, wv, wo } = engine().preset({ preset: 'identity', ...sizes, keys: 8, queryHeads: 2 })
    expect([x, context, wq, wk, wv, wo].map(({ length }) => length)).toEqual([18, 24, 18, 18, 18, 18])
  })

  const looks: [Preset, (query: number, key: number) => boolean][] = [
    [{ preset: 'previous-token', ...sizes }, (query, key) => key === query - 1],
    [{ preset: 'first-token', ...sizes }, (_, key) => key === 0],
    [
      { preset: 'same-token', ...sizes, tokenIds: [3, 8, 3, 1, 8, 3] },
      (query, key) => [0, 1, 0, 2, 1, 0][query] === [0, 1, 0, 2, 1, 0][key],
    ],
  ]
  test.each(looks)('%j does what it says', (preset, looksAt) => {
    const { x, wq, wk, wv, wo } = engine().preset(preset)
    const { weights } = engine().traceMultiHead({ ...sizes, x, wq, wk, wv, wo })
    for (let query = 1; query < 6; query++) {
      let weight = 0
      for (let key = 0; key <= query; key++) if (looksAt(query, key)) weight += weights[query * 6 + key] as number
      expect(weight, `query ${query}`).toBeGreaterThanOrEqual(0.9)
    }
  })

  test.each([
    [{ preset: 'next-token' }, 'wrong-value', 'preset', /or 'same-token', but is 'next-token'/],
    [{}, 'missing-field', 'preset', /preset is missing/],
    [
      { preset: 'previous-token', headDim: 1 },
      'wrong-value',
      'headDim',
      /at least 2 .* of 6 different tokens, but is 1/,
    ],
    [{ preset: 'same-token' }, 'missing-field', 'tokenIds', /needs tokenIds/],
    [{ preset: 'zero', kvHeads: 2 }, 'wrong-value', 'kvHeads', /multiple/],
    [{ preset: 'random', seed: 0.5 }, 'wrong-value', 'seed', /0\.5/],
    [{ preset: 'zero', amount: 1 }, 'unknown-field', 'amount', /'amount'/],
  ])('%j is refused', (change, code, field, message) => {
    const preset = { ...sizes, ...change } as never
    expect(() => engine().preset(preset)).toThrow(AttentionError)
    expect(() => engine().preset(preset)).toThrow(message)
    try {
      engine().preset(preset)
    } catch (error) {
      expect(error).toMatchObject({ code, field })
    }
  })
})
