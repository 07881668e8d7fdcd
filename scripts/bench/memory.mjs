// Memory beyond inputs and output. WebAssembly memory never shrinks, so each number
// comes from a fresh process; it counts all that is held, whether in use or not.

import { peers, reasonWithout } from './contestants.mjs'
import { builds } from './engines.mjs'
import { inFreshProcess } from './fresh-process.mjs'
import { exponent } from './measure.mjs'
import { mebibytes, table } from './table.mjs'

// Several calls, since memory that a call leaves in pieces makes the next one take more.
const calls = 3

const side = { queries: 1024, queryHeads: 8, headDim: 64 }
const ours = ['relaxed', 'plain', 'online', 'reference']
const headDim = 64

// A window changes the time that a long problem takes and not its memory.
const full = { ids: [...ours, ...peers], lengths: [2048, 4096, 8192, 16384, 32768], rules: {} }
const less = { ids: ['relaxed', 'onnx-attention', 'tensorflow'], lengths: [8192, 32768], rules: { window: 256 } }

export const memory = {
  title: 'Memory beyond inputs and output',

  async run({ quick, engines, leftOut }) {
    const { ids, lengths, rules } = quick ? less : full
    const contestants = {}
    for (const id of ids) {
      if (reasonWithout(id, leftOut) === undefined) contestants[id] = await inFreshProcess(id, side, calls)
    }
    const [build] = builds(engines)
    const growth = []
    for (const queries of lengths) {
      const held = await inFreshProcess(build, { queries, headDim, ...rules }, calls)
      growth.push({ queries, ...held })
    }
    const heldExponent = exponent(growth.map(({ queries, heldBytes }) => [queries, heldBytes]))
    return { shape: side, contestants, growth, heldExponent }
  },

  show({ contestants, growth, heldExponent }) {
    const row = (name, { heldBytes, extraBytes }) => [name, mebibytes(heldBytes), mebibytes(extraBytes)]
    const rows = [
      ...Object.entries(contestants).map(([id, bytes]) => row(`${id}, T ${side.queries}, H 8, D 64`, bytes)),
      ...growth.map((bytes) => row(`tiled, T ${bytes.queries}, H 1, D ${headDim}`, bytes)),
    ]
    const note = `  All that the tiled kernel holds grows as T to the power ${heldExponent.toFixed(2)}.`
    return `${table(['', 'held MiB', 'extra MiB'], rows)}\n${note}`
  },
}
