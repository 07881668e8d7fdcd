import { AttentionError, type CellRecord, type InspectedLayer } from 'attention-playground'
import { expect, test } from 'vitest'
import { expectClose } from './support/compare.ts'
import { onEachBuild } from './support/engines.ts'

const x = [0.43, 0.15, 0.89, 0.55, 0.87, 0.66, 0.57, 0.85, 0.64]
const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1]
const worked = { x, wq: identity, wk: identity, wv: identity, wo: identity }
const tokens = { ...worked, modelDim: 3, headDim: 3, queries: 3, scale: 1 }

const wave = (count: number, step: number) => Float32Array.from({ length: count }, (_, i) => Math.sin(step * (i + 1)))

// B 2, Hq 4, Hkv 2, T 5, D 3, Dv 2, M 6, N 4.
const grouped = {
  x: wave(60, 0.7),
  ...{ wq: wave(72, 1.3), wk: wave(36, 0.9), wv: wave(24, 2.1), wo: wave(32, 1.7) },
  ...{ batch: 2, queryHeads: 4, kvHeads: 2, queries: 5, headDim: 3, valueDim: 2, modelDim: 6, outputDim: 4 },
  ...{ window: 3, softcap: 2, bias: [0.5, 0, -0.25, 0, 1], biasShape: [5] },
  ...{ allowed: [1, 1, 0, 1, 1], allowedShape: [5] },
}

onEachBuild('the record behind a cell', (engine) => {
  test('a weight of the worked example, from q·k to the quotient', () => {
    const { value, operation, terms, pair, sources } = engine().inspect({
      ...{ ...tokens, stage: 'weights', index: [0, 0, 1, 0] },
    })
    expect(operation).toBe('softmax')
    expect(sources).toEqual([{ stage: 'masked', index: [0, 0, 1, 0], axis: 3, count: 3 }])
    expect(terms?.left).toEqual({ stage: 'q', index: [0, 0, 1, 0], axis: 3, count: 3 })
    expect(terms?.right).toEqual({ stage: 'k', index: [0, 0, 0, 0], axis: 3, count: 3 })
    expectClose(terms?.leftValues ?? [], [0.55, 0.87, 0.66], 1e-7, [3], 'q')
    expectClose(terms?.products ?? [], [0.2365, 0.1305, 0.5874], 1e-6, [3], 'products')
    expectClose(terms?.sums ?? [], [0.2365, 0.367, 0.9544], 1e-6, [3], 'sums')
    expect(pair).toMatchObject({ kvHead: 0, queryPosition: 1, keyPosition: 0, scale: 1, bias: 0, hiddenBy: 0 })
    expect(pair?.score).toBeCloseTo(0.9544, 6)
    expect(pair?.rowMax).toBeCloseTo(1.495, 6)
    expect(pair?.exponential).toBeCloseTo(Math.exp(0.9544 - 1.495), 6)
    expect(value).toBeCloseTo(0.368, 3)
    // 0.9544, 1.495 and, hidden, 1.4754.
    expectClose(pair?.exponentials ?? [], [Math.exp(0.9544 - 1.495), 1, 0], 1e-6, [3], 'exponentials')
    expect([...(pair?.exponentialSums ?? [])]).toEqual([pair?.exponential, pair?.rowSum, pair?.rowSum])
  })

  test('every cell is the traced one, to the last bit', () => {
    const trace = engine().traceMultiHead(grouped)
    const cell = (stage: InspectedLayer['stage'], index: number[]): CellRecord =>
      engine().inspect({ ...grouped, stage, index })
    const each = (sizes: number[], visit: (index: number[], at: number) => void) => {
      const count = sizes.reduce((product, size) => product * size, 1)
      for (let at = 0; at < count; at++) {
        let rest = at
        const index = sizes.map(() => 0)
        for (let axis = sizes.length - 1; axis >= 0; axis--) {
          const size = sizes[axis] as number
          index[axis] = rest % size
          rest = Math.floor(rest / size)
        }
        visit(index, at)
      }
    }
    // Features [B, T, H * D] are heads here: [b, t, h, d] is the cell [b, h, t, d].
    const heads = (stage: InspectedLayer['stage'], values: Float32Array, sizes: number[]) =>
      each(sizes, ([b, t, h, d] = [], at) => {
        expect(cell(stage, [b, h, t, d] as number[]).value, `${stage} ${at}`).toBe(values[at])
      })
    heads('q', trace.q, [2, 5, 4, 3])
    heads('k', trace.k, [2, 5, 2, 3])
    heads('v', trace.v, [2, 5, 2, 2])
    heads('mixed', trace.heads, [2, 5, 4, 2])
    each([2, 5, 8], (index, at) => expect(cell('merged', index).value).toBe(trace.heads[at]))
    each([2, 5, 4], (index, at) => expect(cell('output', index).value).toBe(trace.output[at]))
    each([2, 4, 5, 5], (index, at) => {
      for (const stage of ['dots', 'scores', 'capped', 'masked', 'weights'] as const) {
        const { value, pair } = cell(stage, index)
        expect(value, `${stage} ${index}`).toBe(trace[stage][at])
        expect(pair?.hiddenBy).toBe(trace.hiddenBy[at])
      }
    })
  })

  test('a hidden key takes no part in the mix', () => {
    const { terms } = engine().inspect({ ...grouped, stage: 'mixed', index: [0, 0, 4, 0] })
    expect([...(terms?.counted ?? [])]).toEqual([0, 0, 0, 1, 1])
    expect([...(terms?.products ?? [])].slice(0, 3)).toEqual([0, 0, 0])
  })

  test('given numbers have no sources, moved ones no terms', () => {
    const given = engine().inspect({ ...tokens, stage: 'wq', index: [1, 1] })
    expect(given).toEqual({ value: 1, operation: 'given', sources: [] })
    const merged = engine().inspect({ ...grouped, stage: 'merged', index: [1, 2, 5] })
    expect(merged.sources).toEqual([{ stage: 'mixed', index: [1, 2, 2, 1], axis: 3, count: 1 }])
    expect(merged).not.toHaveProperty('terms')
    expect(merged).not.toHaveProperty('pair')
  })

  test.each([
    [
      { stage: 'attention', index: [0, 0, 0] },
      'wrong-value',
      'stage',
      /'x', 'context', .* or 'output', but is 'attention'/,
    ],
    [{ index: [0, 0, 0] }, 'missing-field', 'stage', /stage is missing/],
    [{ stage: 'x', index: [0, 3, 0] }, 'wrong-value', 'index', /x \[B, T, M\] = \[1, 3, 3\], but is \[0, 3, 0\]/],
    [{ stage: 'x', index: [0, 0] }, 'wrong-value', 'index', /x \[B, T, M\] = \[1, 3, 3\], but is \[0, 0\]/],
    [{ stage: 'x', index: [0, -1, 0] }, 'wrong-value', 'index', /at least 0, but is -1/],
    [{ stage: 'x', index: 3 }, 'wrong-type', 'index', /an array of whole numbers/],
    [{ stage: 'context', index: [0, 0, 0] }, 'wrong-value', 'stage', /'context', which is not given/],
    [{ stage: 'x', index: [0, 0, 0], wq: [1] }, 'wrong-shape', 'wq', /\[3, 3\]/],
    [{ stage: 'x', index: [0, 0, 0], cell: 1 }, 'unknown-field', 'cell', /'cell'/],
  ])('%j is refused', (change, code, field, message) => {
    const layer = { ...tokens, ...change } as never
    expect(() => engine().inspect(layer)).toThrow(AttentionError)
    expect(() => engine().inspect(layer)).toThrow(message)
    try {
      engine().inspect(layer)
    } catch (error) {
      expect(error).toMatchObject({ code, field })
    }
  })
})
