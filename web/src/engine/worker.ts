// Runs in a thread of the pool: loads a WebAssembly instance of its own, then
// does one piece of work after another. An error that the core reports is an answer; the
// instance stays usable after it.

import { buffersOf } from './buffers.ts'
import { copies, over } from './copy-out.ts'
import type { Core } from './core.ts'
import { loadCore } from './core.ts'
import type { Answer, Task } from './pool.ts'
import { serveThread } from './threads.ts'

let loading: Promise<Core> | undefined

async function start(simd: Task['simd']): Promise<Core> {
  const core = await loadCore(simd)
  // Something tiny, so that V8 has compiled the functions before they matter.
  const one = new Float32Array(64)
  core.attend({ q: one, k: one, v: one, queries: 16, keys: 16, headDim: 4, kernel: 'tiled' }, copies)
  return core
}

void serveThread(async (message, reply) => {
  const { id, simd, problem, room, traced, layer } = message as Task
  loading ??= start(simd)
  const core = await loading
  const result = problem
    ? core.attend(problem, over(room && { output: room }))
    : traced
      ? core.traceMultiHead(traced, copies)
      : layer && core.multiHead(layer, copies)
  if (!result) return
  const handed = buffersOf(result) as ArrayBuffer[]
  // Where the core refused the problem, its room goes back unused.
  const inputs = buffersOf({ ...problem, room }) as ArrayBuffer[]
  const spent = inputs.filter((buffer) => !handed.includes(buffer))
  const answer: Answer = { id, result, spent }
  reply(answer, [...handed, ...spent])
})
