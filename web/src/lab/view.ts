// From the settings to a problem, and from the core's trace to one cell's record.

import type { Attention, Problem, Trace } from '../engine/index.ts'
import type { Settings } from './state.ts'
import { feature, isMadeUp, matrix } from './vectors.ts'

export interface Cell {
  readonly head: number
  readonly query: number
  readonly key: number
}

/** What the parts draw: the settings, and the core's answer if there is one. */
export interface View {
  readonly settings: Settings
  readonly trace?: Trace
  readonly hiddenReasons: readonly string[]
}

/**
 * Every token has a vector of Hq * D features. They are its queries, head after
 * head; the first Hkv * D of them are its keys and its values as well. With one
 * head and D = 3 that is the worked example: x as q, k and v.
 */
export function problemOf(attention: Attention, settings: Settings): Problem {
  const { tokens, queryHeads, kvHeads, headDim, mask, window, prefix, scale } = settings
  const count = tokens.length
  const shared = matrix(tokens, kvHeads * headDim)
  const rules = {
    none: () => ({ causal: false }),
    causal: () => ({ causal: true }),
    window: () => ({ causal: true, window }),
    prefix: () => {
      const { allowed, shape } = attention.mask({ rule: 'prefix', amount: prefix, queries: count, keys: count })
      return { causal: false, allowed, allowedShape: shape }
    },
  }
  return {
    q: matrix(tokens, queryHeads * headDim),
    k: shared,
    v: shared,
    layout: 'bthd',
    queryHeads,
    kvHeads,
    queries: count,
    keys: count,
    headDim,
    ...(scale === 'one' ? { scale: 1 } : {}),
    ...rules[mask](),
  }
}

export function viewOf(attention: Attention | undefined, settings: Settings): View {
  if (!attention || settings.tokens.length === 0) return { settings, hiddenReasons: [] }
  return { settings, trace: attention.trace(problemOf(attention, settings)), hiddenReasons: attention.hiddenReasons }
}

/** The KV head that a query head reads, as the core has it; 0 while there is no trace. */
export const kvHeadOf = (head: number, { trace }: View) => trace?.kvHeads[head] ?? 0

/** The names of the rules that a cell's bits stand for; none if it is visible. */
export const reasonsOf = (bits: number, names: readonly string[]) => names.filter((_, bit) => (bits >> bit) & 1)

/** The cell, or the nearest one that is there. */
export function nearest(cell: Cell, { tokens, queryHeads }: Settings): Cell {
  const last = Math.max(tokens.length - 1, 0)
  return {
    head: Math.min(cell.head, queryHeads - 1),
    query: Math.min(cell.query, last),
    key: Math.min(cell.key, last),
  }
}

export interface Factor {
  readonly value: number
  readonly madeUp: boolean
}

/** A head's features of a token, as the problem was given them. */
export function factors(token: string, head: number, headDim: number): Factor[] {
  return Array.from({ length: headDim }, (_, index) => {
    const at = head * headDim + index
    return { value: feature(token, at), madeUp: isMadeUp(token, at) }
  })
}

/** Everything that the trace holds about one cell and its row. */
export interface CellRecord {
  readonly query: string
  readonly key: string
  readonly kvHead: number
  readonly queryPosition: number
  readonly keyPosition: number
  readonly dot: number
  readonly scale: number
  readonly score: number
  readonly masked: number
  readonly weight: number
  readonly hiddenBy: readonly string[]
  readonly rowMax: number
  readonly rowSum: number
  /** The row's weights by key; undefined where hidden. */
  readonly row: readonly (number | undefined)[]
  readonly output: readonly number[]
}

export function recordOf({ settings, trace, hiddenReasons }: View, cell: Cell): CellRecord | undefined {
  const { tokens, queryHeads, headDim } = settings
  const query = tokens[cell.query]
  const key = tokens[cell.key]
  if (!trace || query === undefined || key === undefined) return undefined
  const row = cell.head * tokens.length + cell.query
  const first = row * tokens.length
  const at = first + cell.key
  // The output is in the problem's layout, [B, T, Hq * D].
  const output = (cell.query * queryHeads + cell.head) * headDim
  const number = (values: ArrayLike<number>, index: number) => values[index] as number
  return {
    query,
    key,
    kvHead: number(trace.kvHeads, cell.head),
    queryPosition: number(trace.queryPositions, cell.query),
    keyPosition: number(trace.keyPositions, cell.key),
    dot: number(trace.dots, at),
    scale: trace.scale,
    score: number(trace.scores, at),
    masked: number(trace.masked, at),
    weight: number(trace.weights, at),
    hiddenBy: reasonsOf(number(trace.hiddenBy, at), hiddenReasons),
    rowMax: number(trace.rowMax, row),
    rowSum: number(trace.rowSum, row),
    row: tokens.map((_, index) => (trace.hiddenBy[first + index] === 0 ? trace.weights[first + index] : undefined)),
    output: Array.from(trace.output.subarray(output, output + headDim)),
  }
}
