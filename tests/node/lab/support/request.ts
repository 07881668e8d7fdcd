// What a state asks for, worked out once more from what its fields mean: sizes,
// positions, who is padding, and the rules that hide a key from a query.

import type { State } from '../../../../web/src/lab/model/state.ts'

export interface Sequence {
  readonly queryPositions: readonly number[]
  readonly keyPositions: readonly number[]
  /** The token at each slot of the keys; undefined for padding. */
  readonly keyTokens: readonly (number | undefined)[]
}

export interface Request {
  readonly batch: number
  readonly queryHeads: number
  readonly kvHeads: number
  readonly queries: number
  readonly keys: number
  readonly headDim: number
  readonly valueDim: number
  readonly features: number
  readonly sequences: readonly Sequence[]
  /** The rules that are on, in the order in which they are counted. */
  readonly rules: readonly string[]
  /** Those that hide key j from query i of a sequence. */
  hiddenBy(sequence: number, query: number, key: number): string[]
}

const count = (length: number, first = 0) => Array.from({ length }, (_, index) => first + index)
const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(value, most))

export function requestOf(state: State): Request {
  const { queryHeads, headDim } = state
  const [queries, keys] = extent(state)
  const sequences = sequencesOf(state, queries, keys)
  const rules = predicatesOf(state, Math.max(queries, keys), Math.max(keys - queries, 0))
  const padded = sequences.some(({ keyTokens }) => keyTokens.includes(undefined))
  const wanted = state.kvHeads ?? queryHeads
  return {
    batch: sequences.length,
    queryHeads,
    kvHeads: count(queryHeads, 1).findLast((heads) => queryHeads % heads === 0 && heads <= wanted) as number,
    queries,
    keys,
    headDim,
    valueDim: state.valueDim ?? headDim,
    features: state.features ?? queryHeads * headDim,
    sequences,
    rules: [...rules.map(([name]) => name), ...(padded ? ['padding'] : [])],
    hiddenBy(sequence, query, key) {
      const { queryPositions, keyPositions, keyTokens } = sequences[sequence] as Sequence
      const [pq, pk] = [queryPositions[query] as number, keyPositions[key] as number]
      const names = rules.flatMap(([name, sees]) => (sees(pq, pk, query, key) ? [] : [name]))
      const empty = (slot: number) => keyTokens[slot] === undefined
      return padded && (empty(key) || empty(keys - queries + query)) ? [...names, 'padding'] : names
    },
  }
}

function extent(state: State): [number, number] {
  const { keys } = state
  if (keys === 0) return [0, 0]
  if (state.positions === 'decoding') return [1, clamp(state.step, 0, keys - 1) + 1]
  if (state.positions === 'prefill') {
    const before = clamp(state.chunkStart, 0, keys - 1)
    const chunk = clamp(state.chunkSize, 1, keys - before)
    return [chunk, before + chunk]
  }
  return [state.positions === 'training' || state.positions === 'own' ? (state.queries ?? keys) : keys, keys]
}

function sequencesOf(state: State, queries: number, keys: number): Sequence[] {
  const usual = {
    queryPositions: count(queries, keys - queries),
    keyPositions: count(keys),
    keyTokens: count(keys, Math.max(queries - keys, 0)),
  }
  if (state.positions === 'own') {
    // A row that is begun goes on by ones.
    const goOn = (own: readonly number[], length: number) =>
      count(length).map((i) => own[i] ?? (own.at(-1) as number) + i - (own.length - 1))
    const row = (own: readonly number[], other: number[]) => (own.length > 0 ? goOn(own, other.length) : other)
    return [
      {
        ...usual,
        queryPositions: row(state.queryPositions, usual.queryPositions),
        keyPositions: row(state.keyPositions, usual.keyPositions),
      },
    ]
  }
  if (state.positions !== 'ragged' && state.positions !== 'padding') return [usual]
  const length = Math.min(state.shorter, keys)
  const first = state.positions === 'padding' ? keys - length : 0
  const positions = count(keys, -first)
  return [
    usual,
    {
      queryPositions: positions,
      keyPositions: positions,
      keyTokens: positions.map((position) => (position >= 0 && position < length ? position : undefined)),
    },
  ]
}

/** Whether a query at one position may see a key at another; paint goes by places among the keys. */
type Sees = (query: number, key: number, row: number, column: number) => boolean

/** `first` is the place of the first query among the keys. */
function predicatesOf(state: State, tokens: number, first: number): [string, Sees][] {
  const most = Math.max(state.keys, 1)
  const within = (value: number, least = 1) => clamp(value, least, least === 0 ? state.keys : most)
  const [width, sinks, prefix] = [within(state.windowWidth), within(state.sinks, 0), within(state.prefixLength, 0)]
  const [size, local, stride] = [within(state.blockSize), within(state.localBlocks), within(state.globalStride, 0)]
  const [reach, dilation] = [within(state.dilatedWidth), within(state.dilation)]
  const block = (position: number) => Math.floor(position / size)
  const document = (position: number) => {
    if (position < 0 || position >= tokens) return -1
    const ends = state.documentLengths.map((_, index) =>
      state.documentLengths.slice(0, index + 1).reduce((sum, length) => sum + length, 0),
    )
    const found = ends.findIndex((end) => position < end)
    return found === -1 ? Math.max(ends.length - 1, 0) : found
  }
  const all: [string, boolean, Sees][] = [
    ['causal', state.causal, (query, key) => key <= query],
    ['window', state.window, (query, key) => key <= query && (query - key < width || (sinks > 0 && key < sinks))],
    ['prefix', state.prefix, (query, key) => key <= query || key < prefix],
    ['documents', state.documents, (query, key) => document(query) === document(key)],
    [
      'blocks',
      state.blocks,
      (query, key) =>
        key <= query && (block(query) - block(key) < local || (stride > 0 && (block(key) + 1) % stride === 0)),
    ],
    ['dilated', state.dilated, (query, key) => key <= query && query - key < reach && (query - key) % dilation === 0],
    ['painted', state.painted, (_query, _key, row, column) => !state.paintedCells.has(`${row + first}.${column}`)],
  ]
  return all.flatMap(([name, on, sees]) => (on ? [[name, sees] as [string, Sees]] : []))
}
