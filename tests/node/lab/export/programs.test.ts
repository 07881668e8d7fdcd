// The exported programs give the numbers that the playground shows: each is run, and
// its output compared with the core's.

import { type Attention, type Layer, loadAttention } from 'attention-playground'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { cpp } from '../../../../web/src/lab/export/cpp.ts'
import { numpy, pytorch } from '../../../../web/src/lab/export/python.ts'
import { expectClose } from '../../support/compare.ts'
import { type Ran, runCpp, runPython, useFolder } from '../support/programs.ts'

// Compilers and NumPy take as long as the machine has other things to do.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const folder = useFolder()
let attention: Attention
beforeAll(async () => {
  attention = await loadAttention({ workers: 0 })
})

/** Values of two decimals in [-1, 1), the same in every run. */
function random(count: number, seed: number): number[] {
  let state = seed
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * 200) / 100 - 1
  })
}

type Sizes = Pick<Layer, 'batch' | 'queryHeads' | 'kvHeads' | 'keys' | 'valueDim' | 'outputDim'> &
  Pick<Layer, 'queries' | 'headDim' | 'modelDim'>

/** A layer of these sizes with random tokens and weights. */
function layer(sizes: Sizes, more: Partial<Layer> = {}): Layer {
  const { batch = 1, queryHeads = 1, kvHeads = queryHeads, queries, keys = queries, headDim, modelDim } = sizes
  const { valueDim = headDim, outputDim = modelDim } = sizes
  return {
    ...sizes,
    x: random(batch * queries * modelDim, 1),
    ...(keys === queries ? {} : { context: random(batch * keys * modelDim, 2) }),
    wq: random(queryHeads * headDim * modelDim, 3),
    wk: random(kvHeads * headDim * modelDim, 4),
    wv: random(kvHeads * valueDim * modelDim, 5),
    wo: random(outputDim * queryHeads * valueDim, 6),
    ...more,
  }
}

const eye = [1, 0, 0, 0, 1, 0, 0, 0, 1]
const bits = (text: string) => Array.from(text.replaceAll(' ', ''), Number)

const layers: Record<string, Layer> = {
  'the six tokens': {
    x: [0.43, 0.15, 0.89, 0.55, 0.87, 0.66, 0.57, 0.85, 0.64, 0.22, 0.58, 0.33, 0.77, 0.25, 0.1, 0.05, 0.8, 0.55],
    ...{ wq: eye, wk: eye, wv: eye, wo: eye, modelDim: 3, headDim: 3, queries: 6, scale: 1 },
  },
  'no mask, one head': layer({ queries: 4, headDim: 3, modelDim: 5 }, { causal: false }),
  'grouped heads': layer({ queries: 5, queryHeads: 4, kvHeads: 2, headDim: 3, valueDim: 2, modelDim: 6, outputDim: 7 }),
  'one KV head for all': layer({ queries: 5, queryHeads: 3, kvHeads: 1, headDim: 2, modelDim: 4 }),
  'a batch with one head': layer({ batch: 2, queries: 4, headDim: 3, modelDim: 3 }),
  'a batch with a window': layer({ batch: 2, queries: 7, queryHeads: 2, headDim: 4, modelDim: 4 }, { window: 3 }),
  'a window that looks both ways': layer(
    { queries: 7, headDim: 4, modelDim: 4 },
    { causal: false, window: { left: 1, right: 2 } },
  ),
  'a window alone': layer({ queries: 5, headDim: 2, modelDim: 3 }, { causal: false, window: 2 }),
  'a prefix': layer(
    { queries: 4, queryHeads: 2, headDim: 2, modelDim: 3 },
    { causal: false, allowed: bits('1100 1100 1110 1111'), allowedShape: [4, 4] },
  ),
  'a softcap and a negative scale': layer({ queries: 6, headDim: 3, modelDim: 3 }, { softcap: 0.7, scale: -1.5 }),
  'more keys than queries': layer({ queries: 3, keys: 8, queryHeads: 2, headDim: 3, modelDim: 4 }),
  'fewer keys than queries, so that rows are empty': layer({ queries: 6, keys: 4, headDim: 3, modelDim: 4 }),
  'a hidden row': layer(
    { queries: 3, queryHeads: 2, headDim: 3, modelDim: 4 },
    { allowed: bits('111 000 101'), allowedShape: [3, 3] },
  ),
  'masks for each batch item, with left padding': layer(
    { batch: 2, queries: 4, queryHeads: 2, headDim: 2, modelDim: 3 },
    { allowed: bits('1111 0011'), allowedShape: [2, 1, 1, 4] },
  ),
  'masks for each head': layer(
    { queries: 2, queryHeads: 2, headDim: 2, modelDim: 3 },
    { causal: false, allowed: bits('11 10 01 11'), allowedShape: [2, 2, 2] },
  ),
  'a mask for each query': layer(
    { queries: 3, headDim: 2, modelDim: 3 },
    { causal: false, allowed: bits('101'), allowedShape: [3, 1] },
  ),
  positions: layer(
    { queries: 4, headDim: 3, modelDim: 3 },
    { queryPositions: [40, 41, 3, 0], keyPositions: [0, 3, 41, 7], window: 38 },
  ),
  'positions for each batch item': layer(
    { batch: 2, queries: 3, queryHeads: 2, headDim: 3, modelDim: 3 },
    { queryPositions: [0, 1, 2, 0, 0, 1], keyPositions: [0, 1, 2, 9, 0, 1] },
  ),
  'positions for each batch item, one head': layer(
    { batch: 2, queries: 3, headDim: 3, modelDim: 3 },
    { queryPositions: [0, 1, 2, 0, 0, 1], keyPositions: [0, 1, 2] },
  ),
  'a bias that also hides': layer(
    { queries: 3, queryHeads: 2, headDim: 2, modelDim: 3 },
    { causal: false, bias: [0.5, -1, Number.NEGATIVE_INFINITY], biasShape: [1, 3] },
  ),
  'a bias for each head': layer(
    { queries: 2, queryHeads: 2, headDim: 2, modelDim: 3 },
    { bias: random(8, 7), biasShape: [2, 2, 2] },
  ),
  'NaN and infinity where they are hidden, and a NaN that is seen': layer(
    { queries: 4, keys: 4, headDim: 2, modelDim: 2 },
    {
      ...{ causal: false, allowed: bits('1001 1001 1001 1111'), allowedShape: [4, 4] },
      context: [0.5, 0.25, Number.NaN, 1, Number.POSITIVE_INFINITY, 1, -0.5, 0.75],
    },
  ),
  'values that are no short decimals': layer(
    { queries: 3, headDim: 2, modelDim: 2 },
    { x: [1 / 3, -0, 1e-30, 123456.789, 2 ** -149, 0.1], scale: 1e-3 },
  ),
}

/**
 * Both sides round to float32. A value here comes of at most 40 additions of terms
 * below 4 in magnitude, each rounded by no more than 4 * 2^-24: 1e-5 in all, or that
 * share of a larger value.
 */
const tolerance = (expected: number) => 1e-5 * Math.max(1, Math.abs(expected))

const names = Object.keys(layers)

function check(name: string, values: Float32Array, shape?: readonly number[]) {
  const expected = attention.multiHead(layers[name] as Layer)
  if (shape) expect(shape.join()).toBe(expected.shape.slice(expected.shape.length - shape.length).join())
  expectClose(values, expected.output, tolerance, expected.shape, name)
}

describe.each(Object.entries({ NumPy: numpy, PyTorch: pytorch }))('%s', (_library, write) => {
  let all: Ran[]
  beforeAll(() => {
    all = runPython(
      folder(),
      names.map((name) => write(layers[name] as Layer)),
    )
  })
  test.each(names)('%s', (name) => {
    const { values, shape, dtype, printed } = all[names.indexOf(name)] as Ran
    check(name, values, shape)
    expect(dtype).toBe('float32')
    expect(printed).toMatch(/^\[\[/)
  })
})

describe('C++', () => {
  let all: Float32Array[]
  beforeAll(() => {
    all = runCpp(
      folder(),
      names.map((name) => cpp(layers[name] as Layer)),
    )
  })
  test.each(names)('%s', (name) => check(name, all[names.indexOf(name)] as Float32Array))
})

test('without keys the output is zeros', () => {
  const empty = layer({ queries: 2, keys: 0, headDim: 2, modelDim: 3 })
  const zeros = Array(6).fill(0)
  for (const { values } of runPython(folder(), [numpy(empty), pytorch(empty)])) expect([...values]).toEqual(zeros)
  for (const values of runCpp(folder(), [cpp(empty)])) expect([...values]).toEqual(zeros)
})

test('the program of the six tokens is one that a person reads', () => {
  expect(numpy(layers['the six tokens'] as Layer, { T: ['Your', 'journey', 'starts', 'with', 'one', 'step'] })).toBe(
    `import numpy as np

T, S = 6, 6  # queries, keys
D, Dv = 3, 3  # head dim, value dim
M, N = 3, 3  # features of a token, of the output

x = np.array([
    [0.43, 0.15, 0.89],  # "Your"
    [0.55, 0.87, 0.66],  # "journey"
    [0.57, 0.85, 0.64],  # "starts"
    [0.22, 0.58, 0.33],  # "with"
    [0.77, 0.25, 0.1],  # "one"
    [0.05, 0.8, 0.55],  # "step"
], dtype=np.float32)  # [T, M]
Wq = np.eye(3, dtype=np.float32)  # [D, M]
Wk = np.eye(3, dtype=np.float32)  # [D, M]
Wv = np.eye(3, dtype=np.float32)  # [Dv, M]
Wo = np.eye(3, dtype=np.float32)  # [N, Dv]
scale = 1

q = x @ Wq.T  # [T, D]
k = x @ Wk.T  # [S, D]
v = x @ Wv.T  # [S, Dv]

dots = q @ k.T  # [T, S]
scores = scale * dots

query_position = np.arange(T)[:, None]
key_position = np.arange(S)[None, :]
visible = key_position <= query_position  # causal: no later position
masked = np.where(visible, scores, -np.inf)  # [T, S]

exps = np.exp(masked - masked.max(axis=-1, keepdims=True))
weights = exps / exps.sum(axis=-1, keepdims=True)  # [T, S], each row sums to 1

mixed = weights @ v  # [T, Dv]
output = mixed @ Wo.T  # [T, N]
print(output)
`,
  )
})

test('token-html: no token gets out of its comment', () => {
  const strange = ['"""\nraise SystemExit', "'\\", '*/ \u2028 \u0085 \r', '\u202e\ud800']
  const named = layer({ queries: 4, headDim: 2, modelDim: 2 })
  const expected = attention.multiHead(named).output
  for (const write of [numpy, pytorch]) {
    const text = write(named, { T: strange })
    expect(text.split(/[\n\r\u0085\u2028\u2029]/).length).toBe(write(named).split('\n').length)
    expect(text).not.toMatch(/\p{Bidi_Control}/u)
    for (const { values } of runPython(folder(), [text])) expectClose(values, expected, tolerance, [4, 2])
  }
  for (const values of runCpp(folder(), [cpp(named, { T: strange })])) expectClose(values, expected, tolerance, [4, 2])
})
