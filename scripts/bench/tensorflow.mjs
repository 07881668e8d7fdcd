// TensorFlow.js on its WebAssembly backend: matMul, add a mask, softmax, matMul.

import { requirePeer } from './peers.mjs'

let library

async function load() {
  if (library) return library
  library = requirePeer('@tensorflow/tfjs-core')
  requirePeer('@tensorflow/tfjs-backend-wasm')
  await library.setBackend('wasm')
  return library
}

/**
 * Head by head, with the keys transposed by hand: a matMul of a batch or of a
 * transposed operand goes a way that is three times slower there. With
 * `resident`, keys and values stay in its memory from call to call.
 */
export async function tensorFlow({ q, k, v, queries, keys, queryHeads, kvHeads, headDim }, { resident }) {
  const tf = await load()
  const group = queryHeads / kvHeads
  const rows = group * queries
  const kvHeadNumbers = Array.from({ length: kvHeads }, (_, head) => head)
  const part = (values, head, tokens) => {
    const size = tokens * headDim
    return tf.tensor(values.subarray(head * size, (head + 1) * size), [tokens, headDim])
  }
  const keysAndValues = (head) => [tf.transpose(part(k, head, keys)), part(v, head, keys)]
  const cache = resident ? kvHeadNumbers.map((head) => tf.tidy(() => keysAndValues(head))) : undefined
  const hidden = Float32Array.from({ length: queries * keys }, (_, pair) =>
    pair % keys <= keys - queries + Math.floor(pair / keys) ? 0 : -Infinity,
  )
  const mask = tf.tensor(hidden, [queries, keys])

  const attendHead = (head) => {
    const [transposed, values] = cache ? cache[head] : keysAndValues(head)
    const dots = tf.matMul(part(q, head, rows), transposed)
    const scores = tf.add(tf.reshape(tf.mul(dots, 1 / Math.sqrt(headDim)), [group, queries, keys]), mask)
    return tf.matMul(tf.reshape(tf.softmax(scores), [rows, keys]), values)
  }
  return {
    id: 'tensorflow',
    name: 'TensorFlow.js',
    layout: 'bhtd',
    run: () => tf.tidy(() => tf.concat(kvHeadNumbers.map((head) => tf.tidy(() => attendHead(head)))).dataSync()),
    heldBytes: () => tf.backend().wasm.HEAPU8.length,
    close: () => tf.dispose([mask, cache ?? []]),
  }
}
