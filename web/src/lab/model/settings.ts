// The state as it is in force: every count that depends on another brought into
// its range, and the sizes of the layer that follow.

import { tokensOf } from '../tokens.ts'
import { type CountName, fields, names, type State } from './state.ts'

const countNames = names.filter((name): name is CountName => fields[name].kind === 'count')

export interface Settings {
  readonly state: State
  /** max(T, S) tokens; queries are the last T of them and keys the last S. */
  readonly tokens: readonly string[]
  readonly batch: number
  readonly queryHeads: number
  readonly kvHeads: number
  readonly queries: number
  readonly keys: number
  readonly headDim: number
  readonly valueDim: number
  readonly features: number
}

/** The largest count of those permitted that is no more than `wanted`. */
const fitted = (wanted: number, permitted: readonly number[]) =>
  permitted.findLast((count) => count <= wanted) ?? (permitted[0] as number)

const runs = new Map<string, readonly number[]>()

/** The whole numbers from `least` to `most`. A seed has ten thousand, asked for with every change, so they are kept. */
function upTo(least: number, most: number): readonly number[] {
  const key = `${least} ${most}`
  const run = runs.get(key) ?? Array.from({ length: Math.max(most - least + 1, 0) }, (_, i) => least + i)
  runs.set(key, run)
  return run
}

/** The counts that a field can hold as things are, in order. */
export function permitted(name: CountName, state: State): readonly number[] {
  const { least, most } = fields[name]
  const all = (limit: number) => upTo(least, Math.max(Math.min(limit, most), least))
  switch (name) {
    case 'kvHeads':
      return all(state.queryHeads).filter((heads) => state.queryHeads % heads === 0)
    case 'head':
      return all(state.queryHeads - 1)
    case 'step':
    case 'chunkStart':
      return all(state.keys - 1)
    case 'chunkSize':
      return all(state.keys - countOf('chunkStart', state))
    case 'shorter':
    case 'prefixLength':
    case 'sinks':
    case 'globalStride':
      return all(state.keys)
    case 'windowWidth':
    case 'blockSize':
    case 'localBlocks':
    case 'dilatedWidth':
    case 'dilation':
      return all(Math.max(state.keys, 1))
    case 'sequence':
      return all(batchOf(state) - 1)
    default:
      return all(most)
  }
}

/** What an absent count follows. */
function followed(name: CountName, state: State): number {
  switch (name) {
    case 'queries':
      return state.keys
    case 'kvHeads':
      return state.queryHeads
    case 'valueDim':
      return state.headDim
    default:
      // As many features as the heads of the queries have, so that the identity gives each its own.
      return Math.min(state.queryHeads * state.headDim, fields.features.most)
  }
}

/** A count as it is in force. */
export function countOf(name: CountName, state: State): number {
  const value = state[name] ?? followed(name, state)
  return fitted(value, permitted(name, state))
}

/** Which of the keys the first query stands beside: queries are the last ones. */
export const firstQuery = ({ queries, keys }: Pick<Settings, 'queries' | 'keys'>) => Math.max(keys - queries, 0)

const batchOf = ({ positions }: State) => (positions === 'ragged' || positions === 'padding' ? 2 : 1)

/** The state with every count as it is in force. */
export const inForce = (state: State): State => ({
  ...state,
  ...Object.fromEntries(countNames.map((name) => [name, countOf(name, state)])),
})

export function settingsOf(state: State): Settings {
  const { queries, keys } = extent(state)
  const count = Math.max(queries, keys)
  return {
    state,
    tokens: tokensOf(state.text, Math.max(state.keys, count)).slice(0, count),
    batch: batchOf(state),
    queryHeads: state.queryHeads,
    kvHeads: countOf('kvHeads', state),
    queries,
    keys,
    headDim: state.headDim,
    valueDim: countOf('valueDim', state),
    features: countOf('features', state),
  }
}

/** T and S of the request: a step of decoding has one query against what is cached by then. */
function extent(state: State): { queries: number; keys: number } {
  const { keys } = state
  if (keys === 0) return { queries: 0, keys: 0 }
  if (state.positions === 'decoding') return { queries: 1, keys: countOf('step', state) + 1 }
  if (state.positions === 'prefill') {
    const queries = countOf('chunkSize', state)
    return { queries, keys: countOf('chunkStart', state) + queries }
  }
  const paired = state.positions === 'ragged' || state.positions === 'padding'
  return { queries: paired ? keys : countOf('queries', state), keys }
}
