// The stages that a layer has, and their shapes, which its settings say before anything
// is computed.

import type { Settings } from './settings.ts'
import type { Axis, StageName } from './stage.ts'

const axesOf: Readonly<Record<StageName, readonly Axis[]>> = {
  x: ['B', 'T', 'M'],
  context: ['B', 'S', 'M'],
  wq: ['Hq·D', 'M'],
  wk: ['Hkv·D', 'M'],
  wv: ['Hkv·Dv', 'M'],
  q: ['B', 'Hq', 'T', 'D'],
  k: ['B', 'Hkv', 'S', 'D'],
  v: ['B', 'Hkv', 'S', 'Dv'],
  dots: ['B', 'Hq', 'T', 'S'],
  scores: ['B', 'Hq', 'T', 'S'],
  capped: ['B', 'Hq', 'T', 'S'],
  masked: ['B', 'Hq', 'T', 'S'],
  weights: ['B', 'Hq', 'T', 'S'],
  mixed: ['B', 'Hq', 'T', 'Dv'],
  merged: ['B', 'T', 'Hq·Dv'],
  wo: ['N', 'Hq·Dv'],
  output: ['B', 'T', 'N'],
}

export interface Shape {
  readonly axes: readonly Axis[]
  readonly shape: readonly number[]
}

/** The shape of a stage; undefined where the layer has no such stage. */
export function shapeOf(name: StageName, settings: Settings): Shape | undefined {
  const { batch, queryHeads, kvHeads, queries, keys, headDim, valueDim, features, state } = settings
  if (name === 'context' && queries === keys) return undefined
  if (name === 'capped' && state.softcap === 0) return undefined
  const sizes: Readonly<Record<Axis, number>> = {
    ...{ B: batch, Hq: queryHeads, Hkv: kvHeads, T: queries, S: keys },
    ...{ D: headDim, Dv: valueDim, M: features, N: features },
    ...{ Hq·D: queryHeads * headDim, Hkv·D: kvHeads * headDim },
    ...{ Hq·Dv: queryHeads * valueDim, Hkv·Dv: kvHeads * valueDim },
  }
  const axes = axesOf[name]
  return { axes, shape: axes.map((axis) => sizes[axis]) }
}

/** The stage that is shown where `wanted` is asked for; a layer need not have it. */
export const stageIn = (settings: Settings, wanted: StageName): StageName =>
  shapeOf(wanted, settings) ? wanted : 'weights'
