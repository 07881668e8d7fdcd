// What the lab draws: the stages of a layer, from tokens to output. Each is a
// tensor whose last two axes are the rows and columns of a matrix.

/** An axis by its letter: batch, query heads, KV heads, queries, keys, head dim, value dim, features of x, of the output. */
export type Axis = 'B' | 'Hq' | 'Hkv' | 'T' | 'S' | 'D' | 'Dv' | 'M' | 'N' | 'Hq·D' | 'Hkv·D' | 'Hkv·Dv' | 'Hq·Dv'

export type StageName =
  | 'x'
  | 'context'
  | 'wq'
  | 'wk'
  | 'wv'
  | 'wo'
  | 'q'
  | 'k'
  | 'v'
  | 'dots'
  | 'scores'
  | 'capped'
  | 'masked'
  | 'weights'
  | 'mixed'
  | 'merged'
  | 'output'

/** A stage of a layer. Value [i, j, …] stands at values[i * strides[0] + j * strides[1] + …]. */
export interface Stage {
  readonly name: StageName
  readonly axes: readonly Axis[]
  readonly shape: readonly number[]
  readonly strides: readonly number[]
  /** Empty where there are more than can be held: the stage's shape is known then, and what is hidden. */
  readonly values: Float32Array
  /** Of stages on pairs of queries and keys: a bit for each rule that hides the pair, in the order of `hiddenNames`. Same strides. */
  readonly hiddenBy?: Uint8Array | Uint16Array
  readonly hiddenNames?: readonly string[]
}

/** Whether a stage's numbers are there. */
export const isHeld = ({ values, shape }: Stage) => values.length > 0 || shape.includes(0)

/** One matrix of a stage: the rows and columns of its last two axes. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly offset: number
  readonly rowStride: number
  readonly columnStride: number
  readonly stage: Stage
}

export function matrixOf(stage: Stage, leading: readonly number[]): Matrix {
  const offset = leading.reduce((sum, index, axis) => sum + index * (stage.strides[axis] as number), 0)
  const [rows, columns] = stage.shape.slice(-2) as [number, number]
  const [rowStride, columnStride] = stage.strides.slice(-2) as [number, number]
  return { rows, columns, offset, rowStride, columnStride, stage }
}

const givenUp = new WeakSet<Stage>()

/** Says that a stage's values are about to be written over: what was drawn of them cannot be compared with them any more. */
export function giveUp(stage: Stage): void {
  givenUp.add(stage)
}

export const isGivenUp = (stage: Stage) => givenUp.has(stage)
