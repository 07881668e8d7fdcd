// The GPU path in a worker of a page.

import { loadAttention } from 'attention-playground'
import { expect, test } from 'vitest'
import { expectClose } from '../node/support/compare.ts'
import { openLibrary } from './support/chromium.ts'
import { problemOf } from './support/problems.ts'

test('in a worker the GPU computes as in its page', async () => {
  const { page, url, close } = await openLibrary()
  try {
    const body = `import { loadAttention } from '${url}engine/index.js'
      onmessage = async ({ data }) => {
        const attention = await loadAttention({ backend: 'webgpu', workers: 0 })
        const { output, backend } = await attention.attend(data)
        postMessage({ output: Array.from(output), backend, info: attention.info })
      }`
    await page.route(`${url}solving.js`, (route) => route.fulfill({ contentType: 'text/javascript', body }))
    const given = problemOf({ queryHeads: 2, queries: 70, keys: 70, headDim: 8 })
    const lists = { ...given, q: [...given.q], k: [...given.k], v: [...given.v] }
    const { output, backend, info } = await page.evaluate(
      (given) =>
        new Promise<{ output: number[]; backend: string; info: { backend: string } }>((resolve, reject) => {
          const worker = new Worker('/solving.js', { type: 'module' })
          worker.onmessage = ({ data }) => resolve(data)
          worker.onerror = ({ message }) => reject(new Error(message || 'the worker did not load'))
          worker.postMessage(given)
        }),
      lists,
    )
    expect([backend, info.backend]).toEqual(['webgpu', 'webgpu'])
    const wasm = await loadAttention({ backend: 'wasm', workers: 0 })
    expectClose(output, wasm.attendSync(given).output, 2e-6, [2, 70, 8])
  } finally {
    await close()
  }
})
