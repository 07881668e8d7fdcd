// The conformance cases of the ONNX Attention operator, through the JavaScript
// face. They lie beside the project; without them this suite is skipped aloud.

import { describe, expect, test } from 'vitest'
import { expectClose } from './support/compare.ts'
import { kernels, onEachBuild } from './support/engines.ts'
import { expectedOutput, problemOf, readCases, values } from './support/onnx.ts'

const found = readCases()
if (!found) {
  describe('ONNX conformance', () => {
    test('87 cases', (context) => context.skip('there is no ../shared/onnx-attention beside the checkout'))
  })
} else {
  const { cases, data } = found

  test('all 76 stored and 11 generated cases are there', () => {
    expect(cases.filter(({ origin }) => origin === 'file').length).toBe(76)
    expect(cases.filter(({ origin }) => origin === 'generator').length).toBe(11)
  })

  onEachBuild('ONNX conformance', (engine) => {
    test.each(cases.map((c) => [c.name, c] as const))('%s', (_, c) => {
      const problem = problemOf(c, data)
      const shape = [c.dims.B, c.dims.Hq, c.dims.T, c.dims.Dv]
      const tolerance = (expected: number) => c.atol + c.rtol * Math.abs(expected)
      for (const kernel of kernels) {
        expectClose(
          engine().attendSync({ ...problem, kernel }).output,
          expectedOutput(c, data),
          tolerance,
          shape,
          kernel,
        )
      }
      const stage = c.outputs.qk_matmul_output
      if (stage) {
        const name =
          (['scores', 'capped', 'masked', 'weights'] as const)[c.attrs.qk_matmul_output_mode ?? 0] ?? 'scores'
        expectClose(engine().trace(problem)[name], values(data, stage), tolerance, stage.shape, name)
      }
    })
  })
}
