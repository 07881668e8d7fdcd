// What is measured, by the name that --only takes. `slow` is left out of --quick.

import { ladder, onnx, peers } from './contestants.mjs'
import { firstCall } from './first-call.mjs'
import { growth } from './growth.mjs'
import { memory } from './memory.mjs'
import { page } from './page.mjs'
import { race } from './race.mjs'
import { sixTokens } from './six-tokens.mjs'
import { size } from './size.mjs'
import { windowed } from './window.mjs'

const tiled = ['relaxed', 'plain', 'pool']
const caches = ['relaxed-cache', 'plain-cache']
const over = ['relaxed-over', 'plain-over', 'pool-over']
const everyone = [...tiled, ...ladder, ...peers]
const everyWay = [...everyone, ...over]

export const sections = {
  t256: race({
    title: 'T 256, H 8, D 64, causal',
    shape: { queries: 256, keys: 256, queryHeads: 8, headDim: 64 },
    ids: everyWay,
  }),
  t1024: race({
    title: 'T 1024, H 8, D 64, causal',
    shape: { queries: 1024, keys: 1024, queryHeads: 8, headDim: 64 },
    ids: everyWay,
    quickIds: [...tiled, ...over, 'reference', 'onnx-attention', 'onnx-multi-head', 'tensorflow'],
  }),
  t2048: race({
    title: 'T 2048, H 8, D 64, causal',
    shape: { queries: 2048, keys: 2048, queryHeads: 8, headDim: 64 },
    ids: everyWay,
    slow: true,
  }),
  grouped: race({
    title: 'T 1024, Hq 16, Hkv 8, D 128, causal',
    shape: { queries: 1024, keys: 1024, queryHeads: 16, kvHeads: 8, headDim: 128 },
    ids: everyone,
    quickIds: [...tiled, ...onnx],
  }),
  decode: race({
    title: 'Decoding: T 1, S 8192, Hq 16, Hkv 8, D 128',
    shape: { queries: 1, keys: 8192, queryHeads: 16, kvHeads: 8, headDim: 128 },
    ids: [...caches, 'relaxed', 'plain', ...ladder, ...peers],
    quickIds: [...caches, 'relaxed', 'onnx-attention', 'onnx-group-query', 'tensorflow'],
    ...{ peak: 'memory', resident: true },
  }),
  window: windowed,
  first: firstCall,
  six: sixTokens,
  memory,
  growth,
  size,
  page,
}
