// How the stages hang together: of which others each is made, and which of their
// matrices belong to a head. A product is drawn as on paper, its left factor on its
// left and its right factor, turned so that its columns match, above it.

import type { CellRecord, Cells } from '../../engine/index.ts'
import type { Scene } from './scene.ts'
import { type Axis, type Matrix, matrixOf, type Stage, type StageName } from './stage.ts'

/** The strip's columns, left to right. */
export const columns: readonly (readonly StageName[])[] = [
  ['x', 'context'],
  ['wq', 'wk', 'wv'],
  ['q', 'k', 'v'],
  ['dots'],
  ['scores'],
  ['capped'],
  ['masked'],
  ['weights'],
  ['mixed'],
  ['merged'],
  ['wo'],
  ['output'],
]

/** Which heads a stage has a matrix for. */
export type HeadsOf = 'query' | 'key' | 'none'
export const headsOf = ({ axes }: Stage): HeadsOf =>
  axes.includes('Hq') ? 'query' : axes.includes('Hkv') ? 'key' : 'none'

export interface Place {
  readonly sequence: number
  /** A query head; stages of KV heads show the one that it reads. */
  readonly head: number
}

/** A cell of a stage: its head is a query head, or the KV head of a stage of KV heads. */
export interface StageCell {
  readonly stage: StageName
  readonly head: number
  readonly row: number
  readonly column: number
}

/** The indices of a cell, along all axes of its stage; undefined where there is no such cell. */
export function indexOf({ stage: name, head, row, column }: StageCell, sequence: number, { stages }: Scene) {
  const stage = stages.get(name)
  if (!stage) return undefined
  const leading = stage.axes.slice(0, -2).map((axis) => (axis === 'B' ? sequence : head))
  const index = [...leading, row, column]
  return index.every((at, axis) => at < (stage.shape[axis] as number)) ? index : undefined
}

/** The head that a stage shows at a place, in its own counting. */
export function headAt(stage: Stage, { head }: Place, scene: Scene): number {
  const heads = headsOf(stage)
  return heads === 'key' ? (scene.kvHeads[head] ?? 0) : heads === 'query' ? head : 0
}

/** A query head that reads the KV head, or the query head itself. */
export const queryHeadOf = (stage: Stage, head: number, scene: Scene): number =>
  headsOf(stage) === 'key' ? Math.max(scene.kvHeads.indexOf(head), 0) : head

/** The matrices that a cell is in or comes from: its own head's, whichever is chosen. */
export function placeOf({ stage: name, head, column }: StageCell, chosen: Place, scene: Scene): Place {
  const stage = scene.stages.get(name)
  // Its columns are those of one head after another.
  if (name === 'merged') return { ...chosen, head: Math.floor(column / scene.settings.valueDim) }
  if (!stage || headsOf(stage) === 'none') return chosen
  // Of the query heads that read a KV head the chosen one, if it does.
  if (headAt(stage, chosen, scene) === head) return chosen
  return { ...chosen, head: queryHeadOf(stage, head, scene) }
}

/** A place for each of a stage's heads, in its own counting; none for a stage without heads. */
export function placesOfHeads(stage: Stage, { sequence }: Place, scene: Scene): Place[] {
  const count = headsOf(stage) === 'none' ? 0 : (stage.shape[1] as number)
  return Array.from({ length: count }, (_, head) => ({ sequence, head: queryHeadOf(stage, head, scene) }))
}

/** The indices of a stage's leading axes at a place. */
export function leadingAt(stage: Stage, place: Place, scene: Scene): number[] {
  return stage.axes.slice(0, -2).map((axis) => (axis === 'B' ? place.sequence : headAt(stage, place, scene)))
}

/** A matrix as it is drawn beside another, and where its rows and columns are in its stage. */
export interface Drawn {
  readonly matrix: Matrix
  readonly stage: Stage
  readonly leading: readonly number[]
  /** The first row of the stage's matrix that is drawn. */
  readonly firstRow: number
  readonly turned: boolean
  readonly rowAxis: Axis
  readonly columnAxis: Axis
}

const rowAxisOf = (stage: Stage) => stage.axes.at(-2) as Axis
const columnAxisOf = (stage: Stage) => stage.axes.at(-1) as Axis

export function drawn(stage: Stage, place: Place, scene: Scene): Drawn {
  const leading = leadingAt(stage, place, scene)
  return {
    matrix: matrixOf(stage, leading),
    stage,
    leading,
    firstRow: 0,
    turned: false,
    rowAxis: rowAxisOf(stage),
    columnAxis: columnAxisOf(stage),
  }
}

/** Rows become columns; the numbers stay where they are. */
export function turned(from: Drawn): Drawn {
  const { rows, columns, rowStride, columnStride } = from.matrix
  return {
    ...from,
    matrix: { ...from.matrix, rows: columns, columns: rows, rowStride: columnStride, columnStride: rowStride },
    turned: !from.turned,
    rowAxis: from.columnAxis,
    columnAxis: from.rowAxis,
  }
}

/** Some of the rows. */
function rowsFrom(from: Drawn, firstRow: number, rows: number): Drawn {
  const { matrix } = from
  return { ...from, firstRow, matrix: { ...matrix, rows, offset: matrix.offset + firstRow * matrix.rowStride } }
}

export interface Sources {
  readonly left?: Drawn
  readonly above?: Drawn
}

const projections = { q: 'wq', k: 'wk', v: 'wv' } as const
/** What stands beside a stage that is no product: the first of these that there is. */
const before: Partial<Record<StageName, readonly StageName[]>> = {
  scores: ['dots'],
  capped: ['scores'],
  masked: ['capped', 'scores'],
  weights: ['masked'],
  merged: ['mixed'],
}

/** What the matrix of a stage is made of, as it stands beside it; beside the merged heads, the part that is the place's head's. */
export function sourcesOf(stage: Stage, place: Place, scene: Scene): Sources {
  const get = (name: StageName) => {
    const found = scene.stages.get(name)
    return found && drawn(found, place, scene)
  }
  const { name } = stage
  if (name === 'q' || name === 'k' || name === 'v') {
    const weights = get(projections[name])
    const tokens = (name === 'q' ? undefined : get('context')) ?? get('x')
    if (!weights || !tokens) return {}
    const dim = stage.shape.at(-1) as number
    return { left: tokens, above: turned(rowsFrom(weights, headAt(stage, place, scene) * dim, dim)) }
  }
  if (name === 'dots') return product(get('q'), get('k'), true)
  if (name === 'mixed') return product(get('weights'), get('v'), false)
  if (name === 'output') return product(get('merged'), get('wo'), true)
  const from = before[name]?.map(get).find((found) => found !== undefined)
  return from ? { left: from } : {}
}

const product = (left: Drawn | undefined, right: Drawn | undefined, turn: boolean): Sources =>
  left && right ? { left, above: turn ? turned(right) : right } : {}

/** The cells behind a record's cell. Without a softcap there is no such stage to light; its numbers are the scores. */
export const sourcesBehind = ({ sources }: CellRecord, { stages }: Scene): Cells[] =>
  sources.map((cells) => (cells.stage === 'capped' && !stages.has('capped') ? { ...cells, stage: 'scores' } : cells))

/** Where the cells lie in a drawn matrix, if they lie in it. */
export function regionIn({ matrix, stage, leading, firstRow, turned }: Drawn, cells: Cells) {
  if (cells.stage !== stage.name) return undefined
  const rank = stage.axes.length
  const { index: at } = cells
  if (!leading.every((index, axis) => at[axis] === index)) return undefined
  const span = (axis: number, less = 0): [number, number] => {
    const from = (at[axis] as number) - less
    return [from, from + (cells.axis === axis ? cells.count : 1)]
  }
  const [rows, columns] = [span(rank - 2, firstRow), span(rank - 1)]
  const region = turned ? { rows: columns, columns: rows } : { rows, columns }
  const inside = ([from, to]: [number, number], count: number) => from >= 0 && to <= count
  return inside(region.rows, matrix.rows) && inside(region.columns, matrix.columns) ? region : undefined
}
