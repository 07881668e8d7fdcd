// What the stages look like: whose colour their rows and columns have, their labels,
// what hides a pair, and the ends of their legends.

import { mostOverview } from './matrix/fit.ts'
import { rulesOf } from './matrix/marks.ts'
import { type Range, rangeOf, rangeOfWeights } from './matrix/range.ts'
import { type Drawn, headAt, headsOf, type Place } from './model/chain.ts'
import type { Scene } from './model/scene.ts'
import { type Axis, isHeld, type Matrix, type Stage, type StageName } from './model/stage.ts'
import { type LabelKind, labWords as words } from './words.ts'

const kinds: Partial<Record<StageName, LabelKind>> = {
  q: 'query',
  wq: 'query',
  k: 'key',
  wk: 'key',
  v: 'value',
  wv: 'value',
}

/** Whether there is more to a stage's matrices than their shape. */
export const isDrawn = (stage: Stage) => isHeld(stage) && Math.max(...stage.shape.slice(-2)) <= mostOverview

/** The colour that a stage's name has; none for stages of the whole. */
export const kindOf = (name: StageName): LabelKind | '' => kinds[name] ?? ''

/** Rows of tokens take the colour of what the tokens are there. */
export function labelKind(axis: Axis, stage: StageName): LabelKind {
  if (axis === 'T') return stage === 'x' || stage === 'output' || stage === 'merged' ? 'token' : 'query'
  if (axis === 'S') return stage === 'v' ? 'value' : stage === 'context' ? 'token' : 'key'
  return 'feature'
}

/** The labels along an axis of a sequence. */
export function labelsOf(axis: Axis, count: number, scene: Scene, sequence: number, first = 0): string[] {
  const place = scene.places[sequence] ?? scene.places[0]
  const { tokens, queries } = scene.settings
  if (axis === 'S') return (place?.tokens ?? []).map((token) => (token === undefined ? '∅' : (tokens[token] as string)))
  if (axis === 'T') {
    const keys = place?.tokens ?? []
    const last = keys.slice(Math.max(keys.length - queries, 0))
    // Where there are more queries than keys, the first tokens have no key.
    const before = tokens.slice(0, Math.max(queries - last.length, 0))
    return [...before, ...last.map((token) => (token === undefined ? '∅' : (tokens[token] as string)))]
  }
  return Array.from({ length: count }, (_, index) => String(first + index))
}

export const rowLabels = ({ matrix, rowAxis, firstRow, turned }: Drawn, scene: Scene, sequence: number) =>
  labelsOf(rowAxis, matrix.rows, scene, sequence, turned ? 0 : firstRow)
export const columnLabels = ({ matrix, columnAxis, firstRow, turned }: Drawn, scene: Scene, sequence: number) =>
  labelsOf(columnAxis, matrix.columns, scene, sequence, turned ? firstRow : 0)

/** The names of the rules that hide a pair [B, Hq, T, S]; none if it is visible. */
export function hidersOf({ stages }: Scene, pair: readonly number[]): string[] {
  const { strides = [], hiddenBy, hiddenNames = [] } = stages.get('masked') ?? {}
  const at = pair.reduce((sum, index, axis) => sum + index * (strides[axis] ?? 0), 0)
  return rulesOf(hiddenBy?.[at] ?? 0, hiddenNames)
}

/** Which head's matrix of a stage is at a place, where there are several. */
export function headWords(stage: Stage, place: Place, scene: Scene): string | undefined {
  const heads = headsOf(stage)
  if (scene.settings.queryHeads === 1 || heads === 'none') return undefined
  return (heads === 'key' ? words.kvHead : words.queryHead)(headAt(stage, place, scene))
}

/** Axes and sizes, which break between the two only. */
export const shapeWords = (axes: readonly Axis[], sizes: readonly number[]) =>
  `[${axes.join(',\u00a0')}] ${sizes.join('\u00a0×\u00a0')}`

/** The axes of a matrix: of a head's part of Hq·D it is D. */
function axesOf({ matrix, stage, rowAxis, columnAxis }: Drawn): Axis[] {
  const own = (axis: Axis, count: number) =>
    count === stage.shape[stage.axes.indexOf(axis)] ? axis : (axis.split('·').at(-1) as Axis)
  return [own(rowAxis, matrix.rows), own(columnAxis, matrix.columns)]
}

/** The shape of a matrix's stage, or of the matrix where the stage has no other. */
export function wholeShape(from: Drawn): string {
  const { matrix, stage } = from
  const others = stage.shape.slice(0, -2)
  const all = others.some((size) => size > 1)
  const axes = [...(all ? stage.axes.slice(0, -2) : []), ...axesOf(from)]
  return shapeWords(axes, [...(all ? others : []), matrix.rows, matrix.columns])
}

/** All matrices of a stage: its heads' and its sequences'. */
export function allOf(stage: Stage): Matrix {
  const [rows, columns] = stage.shape.slice(-2) as [number, number]
  const size = stage.shape.reduce((product, axis) => product * axis, 1)
  const whole = columns === 0 ? 0 : size / columns
  return { rows: rows === 0 ? 0 : whole, columns, offset: 0, rowStride: columns, columnStride: 1, stage }
}

/** The ends of the legend: those of weights, else what there is, if anything. Heads have one in common. */
export function rangeOfStage(stage: Stage): Range {
  if (!isHeld(stage)) return { min: Number.NaN, max: Number.NaN }
  return stage.name === 'weights' ? rangeOfWeights(allOf(stage)) : rangeOf([allOf(stage)])
}
