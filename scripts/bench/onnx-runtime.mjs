// ONNX Runtime Web on one thread, by each of the three operators that it has for
// attention. Its interface takes typed arrays and copies them in at every call.

import { float32, int32, oneOperator } from './onnx-model.mjs'
import { requirePeer } from './peers.mjs'
import { repeatHeads, sliceTokens, tokensFirst } from './problem.mjs'

// It does not tell how much memory it holds, but makes that memory in JavaScript.
const memories = []
const heldBytes = () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0)

let runtime

function load() {
  if (runtime) return runtime
  const { Memory } = WebAssembly
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor) {
      super(descriptor)
      memories.push(this)
    }
  }
  runtime = requirePeer('onnxruntime-web')
  runtime.env.wasm.numThreads = 1
  runtime.env.logLevel = 'error'
  return runtime
}

/** A contestant of one operator; inputs are { name, type, shape, values } or undefined. */
async function contestant(id, name, layout, { inputs, outputs = ['output'], ...model }) {
  const { InferenceSession, Tensor } = load()
  const session = await InferenceSession.create(oneOperator({ ...model, inputs, outputs }), { logSeverityLevel: 3 })
  const feeds = {}
  for (const { name: input, type, shape, values } of inputs.filter(Boolean)) {
    feeds[input] = new Tensor(type === float32 ? 'float32' : 'int32', values, shape)
  }
  const run = async () => (await session.run(feeds, ['output'])).output.data
  return { id, name: `ONNX ${name}`, layout, run, heldBytes, close: () => session.release() }
}

const floats = (name, shape, values) => ({ name, type: float32, shape, values })
const integer = (name, value) => ({ name, type: int32, shape: [1], values: Int32Array.of(value) })
const microsoft = { domain: 'com.microsoft', version: 1 }

/** The standard's operator. Its is_causal counts from the first key, so one query needs none. */
const attention = ({ q, k, v, queries, keys, queryHeads, kvHeads, headDim }) =>
  contestant('onnx-attention', 'Attention', 'bhtd', {
    operator: 'Attention',
    attributes: { is_causal: queries === 1 ? 0 : 1 },
    inputs: [
      floats('q', [1, queryHeads, queries, headDim], q),
      floats('k', [1, kvHeads, keys, headDim], k),
      floats('v', [1, kvHeads, keys, headDim], v),
    ],
  })

/** It has no grouped heads: it is given the keys and values repeated. */
function multiHeadAttention(problem) {
  const { q, k, v, queries, keys, queryHeads, kvHeads, headDim } = problem
  const width = queryHeads * headDim
  const repeated = (values) => tokensFirst(repeatHeads(values, problem), queryHeads, keys, headDim)
  const note = queryHeads === kvHeads ? '' : ', heads repeated'
  return contestant('onnx-multi-head', `MultiHeadAttention${note}`, 'bthd', {
    ...{ operator: 'MultiHeadAttention', ...microsoft },
    attributes: { num_heads: queryHeads, unidirectional: queries === 1 ? 0 : 1 },
    inputs: [
      floats('q', [1, queries, width], tokensFirst(q, queryHeads, queries, headDim)),
      floats('k', [1, keys, width], repeated(k)),
      floats('v', [1, keys, width], repeated(v)),
    ],
  })
}

/** With fewer queries than keys, the keys before the queries' own are its cache. */
function groupQueryAttention({ q, k, v, queries, keys, queryHeads, kvHeads, headDim }) {
  const past = keys - queries
  const cached = (name, values) => {
    if (past === 0) return undefined
    return floats(name, [1, kvHeads, past, headDim], sliceTokens(values, kvHeads, headDim, 0, past))
  }
  const fresh = (name, values) => {
    const own = sliceTokens(values, kvHeads, headDim, past, keys)
    return floats(name, [1, queries, kvHeads * headDim], tokensFirst(own, kvHeads, queries, headDim))
  }
  return contestant('onnx-group-query', 'GroupQueryAttention', 'bthd', {
    ...{ operator: 'GroupQueryAttention', ...microsoft },
    attributes: { num_heads: queryHeads, kv_num_heads: kvHeads },
    inputs: [
      floats('q', [1, queries, queryHeads * headDim], tokensFirst(q, queryHeads, queries, headDim)),
      ...[fresh('k', k), fresh('v', v), cached('pastKeys', k), cached('pastValues', v)],
      ...[integer('lastKey', keys - 1), integer('total', keys)],
    ],
    outputs: ['output', 'keys', 'values'],
  })
}

export const onnxRuntime = { attention, multiHeadAttention, groupQueryAttention }
