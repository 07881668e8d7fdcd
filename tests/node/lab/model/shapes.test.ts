// The shapes of the stages, by axis.

import { expect, test } from 'vitest'
import { settingsOf } from '../../../../web/src/lab/model/settings.ts'
import { shapeOf, stageIn } from '../../../../web/src/lab/model/shapes.ts'
import { start } from '../../../../web/src/lab/model/state.ts'

test('rows of weights are outputs', () => {
  const settings = settingsOf({ ...start, queryHeads: 4, kvHeads: 2, headDim: 5, valueDim: 2, features: 7 })
  expect((['wq', 'wk', 'wv', 'wo'] as const).map((name) => shapeOf(name, settings)?.shape)).toEqual([
    [20, 7],
    [10, 7],
    [4, 7],
    [7, 8],
  ])
})

test('a layer has a context where there are other keys than queries, and a softcap where there is one', () => {
  const settings = settingsOf({ ...start, queries: 2, softcap: 1 })
  expect(shapeOf('context', settings)).toEqual({ axes: ['B', 'S', 'M'], shape: [1, 6, 3] })
  expect(stageIn(settings, 'capped')).toBe('capped')
  expect(shapeOf('context', settingsOf(start))).toBeUndefined()
  expect(stageIn(settingsOf(start), 'capped')).toBe('weights')
})
