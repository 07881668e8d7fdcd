import { expect, test } from 'vitest'
import { replaying } from '../../../../web/src/lab/model/recorded.ts'
import { sceneOf } from '../../../../web/src/lab/model/scene.ts'
import { matrixOf, type Stage } from '../../../../web/src/lab/model/stage.ts'
import { start } from '../../../../web/src/lab/model/state.ts'
import { rowSums } from '../../../../web/src/lab/model/sums.ts'
import { loadEngine } from '../support/engine.ts'

const engine = await loadEngine()

test('colour-range: the core adds the rows up, each head its own, and a row that sees nothing has 0', () => {
  const masked = { queryHeads: 2, painted: true, paintedCells: new Set(['0.0']) }
  const weights = sceneOf(engine, { ...start, ...masked }).stages.get('weights') as Stage
  for (const head of [0, 1]) {
    const sums = rowSums(engine, matrixOf(weights, [0, head])) as Float32Array
    expect(sums).toHaveLength(6)
    expect(sums[0]).toBe(0)
    for (const sum of sums.subarray(1)) expect(sum).toBeCloseTo(1, 6)
  }
})

test('they are of the numbers that are shown, whatever they are', () => {
  const values = Float32Array.of(1, 2, 3, 0.5, Number.NaN, 0)
  const stage: Stage = { name: 'weights', axes: ['T', 'S'], shape: [2, 3], strides: [3, 1], values }
  expect(rowSums(engine, matrixOf(stage, []))).toEqual(Float32Array.of(6, Number.NaN))
})

test('what nobody has recorded has to wait for the engine', () => {
  const stage: Stage = { name: 'weights', axes: ['T', 'S'], shape: [1, 1], strides: [1, 1], values: Float32Array.of(1) }
  expect(rowSums(replaying({}), matrixOf(stage, []))).toBeUndefined()
})

test('rows without a number have the sum 0', () => {
  const values = new Float32Array(0)
  const stage: Stage = { name: 'weights', axes: ['T', 'S'], shape: [2, 0], strides: [0, 1], values }
  expect(rowSums(engine, matrixOf(stage, []))).toEqual(new Float32Array(2))
})
