// Where the queries and keys of each sequence stand.

import type { Settings } from './settings.ts'
import type { Name } from './state.ts'

/** The fields that say more of some kind of request. */
export const positionFields = [
  'step',
  'chunkStart',
  'chunkSize',
  'shorter',
  'sequence',
  'queryPositions',
  'keyPositions',
] as const satisfies readonly Name[]

export interface Place {
  readonly queryPositions: readonly number[]
  readonly keyPositions: readonly number[]
  /** Whether a key is padding. */
  readonly padding: readonly boolean[]
  /** The token at each key, as an index into the tokens; undefined for padding. */
  readonly tokens: readonly (number | undefined)[]
}

const range = (count: number, first = 0) => Array.from({ length: count }, (_, index) => first + index)

/** A row that a person has begun goes on from its last number; what is too many is left out. */
function completed(own: readonly number[], usual: readonly number[]): number[] {
  const last = own.at(-1)
  if (last === undefined) return [...usual]
  return usual.map((_, index) => own[index] ?? last + index - own.length + 1)
}

/** One place for each sequence of the batch. */
export function placesOf({ state, queries, keys, batch }: Settings): Place[] {
  const keyPositions = range(keys)
  const queryPositions = range(queries, keys - queries)
  const tokens = range(keys, Math.max(queries - keys, 0))
  const usual = { queryPositions, keyPositions, padding: keyPositions.map(() => false), tokens }
  if (state.positions === 'own') {
    return [
      {
        ...usual,
        queryPositions: completed(state.queryPositions, queryPositions),
        keyPositions: completed(state.keyPositions, keyPositions),
      },
    ]
  }
  if (batch === 1) return [usual]
  const length = Math.min(state.shorter, keys)
  const before = state.positions === 'padding' ? keys - length : 0
  const positions = range(keys, -before)
  const padded = keyPositions.map((slot) => slot < before || slot >= before + length)
  return [
    usual,
    {
      queryPositions: positions,
      keyPositions: positions,
      padding: padded,
      tokens: keyPositions.map((slot) => (padded[slot] ? undefined : slot - before)),
    },
  ]
}

/** Whether the positions are those that the core takes if none are given. */
export const areUsual = ({ state, batch }: Settings) => batch === 1 && state.positions !== 'own'
