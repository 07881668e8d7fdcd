// The conformance cases of the ONNX Attention operator on the GPU. They lie beside the
// project; without them this suite is skipped aloud.

import { afterAll, beforeAll, describe, test } from 'vitest'
import { expectClose } from '../node/support/compare.ts'
import { expectedOutput, problemOf, readCases, values } from '../node/support/onnx.ts'
import { type Target, targets } from './support/targets.ts'

const found = readCases()
describe.each(Object.entries(targets))('ONNX conformance, %s', (_, open) => {
  if (!found) {
    test('87 cases', (context) => context.skip('there is no ../shared/onnx-attention beside the checkout'))
    return
  }
  const { cases, data } = found
  let target: Target
  beforeAll(async () => {
    target = await open()
  })
  afterAll(() => target?.close())

  test.each(cases.map((c) => [c.name, c] as const))('%s', async (_, c) => {
    const problem = problemOf(c, data)
    const tolerance = (expected: number) => c.atol + c.rtol * Math.abs(expected)
    const shape = [c.dims.B, c.dims.Hq, c.dims.T, c.dims.Dv]
    expectClose(await target.output(problem), expectedOutput(c, data), tolerance, shape)
    const stage = c.outputs.qk_matmul_output
    if (stage && c.attrs.qk_matmul_output_mode === 3) {
      expectClose(await target.weights(problem), values(data, stage), tolerance, stage.shape, 'weights')
    }
  })
})
