// What the core answered is given again to the last bit, also after it has been text;
// what it was not asked is not made up.

import { type Attention, loadAttention } from 'attention-playground'
import { beforeAll, expect, test } from 'vitest'
import { type Answers, NotRecorded, recording, replaying } from '../../../web/src/lab/model/recorded.ts'
import { literal } from '../../../web/src/literal.ts'

let attention: Attention
beforeAll(async () => {
  attention = await loadAttention({ workers: 0 })
})

const problem = {
  q: Float32Array.of(0.1, -0, 1e-30, 7),
  k: Float32Array.of(1, 2, 1 / 3, Number.NaN),
  v: Float32Array.of(-0, 1, 2, 3),
  ...{ queries: 4, keys: 4, headDim: 1 },
}
const read = async (text: string): Promise<Answers> =>
  (await import(`data:text/javascript,${encodeURIComponent(`export default ${text}`)}`)).default

test('an answer comes back with every bit, NaN, infinity and -0 included', async () => {
  const answers: Record<string, unknown> = {}
  const recorder = recording(attention, answers)
  const trace = recorder.trace(problem)
  expect(trace.masked).toContain(Number.NEGATIVE_INFINITY)
  expect(trace.output[3]).toBeNaN()
  expect(recorder.hiddenReasons).toBe(attention.hiddenReasons)

  const again = replaying(await read(literal(answers)))
  expect(again.trace({ ...problem })).toStrictEqual(trace)
  expect(again.hiddenReasons).toEqual(attention.hiddenReasons)
})

test('another question has to wait for the engine', async () => {
  const answers: Record<string, unknown> = {}
  recording(attention, answers).trace(problem)
  const again = replaying(answers)
  expect(() => again.trace({ ...problem, q: Float32Array.of(0.1, 0, 1e-30, 7) })).toThrow(NotRecorded)
  expect(() => again.trace({ ...problem, scale: 1 })).toThrow(NotRecorded)
  expect(() => again.attendSync(problem)).toThrow(NotRecorded)
  expect(() => again.info.version.length).toThrow()
})

test('an error of the engine is no answer', () => {
  const answers: Record<string, unknown> = {}
  expect(() => recording(attention, answers).trace({ ...problem, queryHeads: 3 })).toThrow()
  expect(answers).toEqual({})
})
