// The rules of the mask as the state has them. What a rule hides, and the code that
// says so, are the core's; here they are only asked for and combined.

import type { NamedMask } from '../../engine/index.ts'
import { cellOf } from './field.ts'
import type { Place } from './positions.ts'
import type { Inputs } from './remembering.ts'
import { countOf, firstQuery, type Settings } from './settings.ts'
import type { CountName, FlagName, ListName, State } from './state.ts'

/** The core's name of a rule, and its amounts. */
export type RuleNumbers = Pick<NamedMask, 'rule'> & Partial<NamedMask>

/** A rule of the state: the flag that turns it on, its amounts, and the core's name for it. */
export interface RuleControl {
  readonly flag: FlagName
  readonly amounts: readonly (CountName | ListName)[]
  readonly mask?: (state: State, settings: Settings) => RuleNumbers
}

/** In the order of their controls and of their bits. */
export const ruleControls: readonly RuleControl[] = [
  { flag: 'causal', amounts: [], mask: () => ({ rule: 'causal' }) },
  {
    flag: 'window',
    amounts: ['windowWidth', 'sinks'],
    mask: (state) => ({ rule: 'window', width: countOf('windowWidth', state), sinks: countOf('sinks', state) }),
  },
  {
    flag: 'prefix',
    amounts: ['prefixLength'],
    mask: (state) => ({ rule: 'prefix', length: countOf('prefixLength', state) }),
  },
  {
    flag: 'documents',
    amounts: ['documentLengths'],
    mask: (state, { tokens }) => ({ rule: 'documents', documents: documentsOf(state.documentLengths, tokens.length) }),
  },
  {
    flag: 'blocks',
    amounts: ['blockSize', 'localBlocks', 'globalStride'],
    mask: (state) => {
      const stride = countOf('globalStride', state)
      return {
        rule: 'block-sparse',
        blockSize: countOf('blockSize', state),
        localBlocks: countOf('localBlocks', state),
        ...(stride > 0 ? { globalStride: stride } : {}),
      }
    },
  },
  {
    flag: 'dilated',
    amounts: ['dilatedWidth', 'dilation'],
    mask: (state) => ({
      rule: 'dilated',
      width: countOf('dilatedWidth', state),
      dilation: countOf('dilation', state),
    }),
  },
  { flag: 'painted', amounts: [] },
]

/** Documents one after the other; what is left over belongs to the last. */
function documentsOf(lengths: readonly number[], count: number): number[] {
  const ids = lengths.flatMap((length, document) => Array.from({ length: Math.min(length, count) }, () => document))
  const last = Math.max(lengths.length - 1, 0)
  return Array.from({ length: count }, (_, index) => ids[index] ?? last)
}

/** A rule, and what it allows. */
export interface Rule {
  /** Its flag in the state, or 'padding', which comes with the positions. */
  readonly name: FlagName | 'padding'
  /** [B, T, S], or [T, S] for all sequences; 1 where a query may attend. */
  readonly allowed: Uint8Array
  readonly queries: number
  readonly keys: number
  /** Its predicate as the core writes it; of what the core knows only as a list, how that is looked up. */
  readonly code: string
  /** What the core was asked for. */
  readonly made?: RuleNumbers
}

/** The rules that are on, in the order of their bits. Throws what the core refuses. */
export function rulesOf(engine: Inputs, settings: Settings, places: readonly Place[]): Rule[] {
  const { state, queries, keys } = settings
  const rules: Rule[] = []
  for (const control of ruleControls) {
    if (state[control.flag]) rules.push(ruleOf(engine, control, settings, places))
  }
  if (places.some(({ padding }) => padding.includes(true))) {
    const parts = places.map(({ padding }) => unpadded(padding, queries, keys))
    rules.push({ name: 'padding', allowed: joined(parts), queries, keys, code: '!padding[query] && !padding[key]' })
  }
  return rules
}

function ruleOf(engine: Inputs, { flag, mask }: RuleControl, settings: Settings, places: readonly Place[]): Rule {
  const { state, queries, keys } = settings
  if (!mask) {
    return { name: flag, allowed: painted(state, queries, keys), queries, keys, code: '!painted[query][key]' }
  }
  const named = mask(state, settings)
  const parts = places.map(({ queryPositions, keyPositions }) =>
    engine.mask({ ...named, queries, keys, queryPositions, keyPositions }),
  )
  const allowed = joined(parts.map(({ allowed }) => allowed))
  return { name: flag, allowed, queries, keys, code: parts[0]?.code ?? '', made: named }
}

/** Tokens for which a rule that is off is shown, where there are more pairs than these have. */
export const fewTokens = 64
export const isShownForFew = ({ queries, keys }: Settings) => queries * keys > fewTokens ** 2

/** What a rule that is off would allow the sequence at `place`, or the first few of many tokens. Throws what the core refuses. */
export function ruleIfOn(engine: Inputs, control: RuleControl, settings: Settings, place: Place): Rule {
  if (!isShownForFew(settings)) return ruleOf(engine, control, settings, [place])
  const positions = Array.from({ length: fewTokens }, (_, index) => index)
  const few = { ...settings, queries: fewTokens, keys: fewTokens }
  return ruleOf(engine, control, few, [{ ...place, queryPositions: positions, keyPositions: positions }])
}

/** Painted cells go by the query's place among the keys, so that each request hides the same pairs. */
function painted({ paintedCells }: State, queries: number, keys: number): Uint8Array {
  const allowed = new Uint8Array(queries * keys).fill(1)
  const first = firstQuery({ queries, keys })
  for (const cell of paintedCells) {
    const [row, key] = cellOf(cell)
    const query = row - first
    if (query >= 0 && query < queries && key < keys) allowed[query * keys + key] = 0
  }
  return allowed
}

/** Padding is seen by nobody, and sees nothing. */
function unpadded(padding: readonly boolean[], queries: number, keys: number): Uint8Array {
  const allowed = new Uint8Array(queries * keys)
  for (let query = 0; query < queries; ++query) {
    if (padding[keys - queries + query]) continue
    for (let key = 0; key < keys; ++key) allowed[query * keys + key] = padding[key] ? 0 : 1
  }
  return allowed
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** A bit for each rule that hides the pair, [B, T, S]. */
export function hiddenBits(rules: readonly Rule[], batch: number, pairs: number): Uint16Array {
  const bits = new Uint16Array(batch * pairs)
  rules.forEach(({ allowed }, bit) => {
    for (let first = 0; first < bits.length; first += allowed.length) {
      for (let index = 0; index < allowed.length; ++index) {
        if (allowed[index] === 0) bits[first + index] = (bits[first + index] as number) | (1 << bit)
      }
    }
  })
  return bits
}
