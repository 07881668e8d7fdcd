// What a person can change: one table, from which come the controls, their
// ranges, their first values and the check of every new value.

import { lengthen, split, story } from './tokens.ts'
import { words } from './words.ts'

interface TextField {
  readonly type: 'text'
  readonly label: string
  readonly start: string
}

interface CountField {
  readonly type: 'count'
  readonly label: string
  readonly start: number
  readonly least: number
  readonly most: number
  /** Narrows the range by the rest of the state; only counts named here depend on others. */
  readonly only?: (count: number, state: State) => boolean
}

interface ChoiceField<Option extends string> {
  readonly type: 'choice'
  readonly label: string
  readonly start: Option
  readonly options: Readonly<Record<Option, string>>
}

export type Mask = 'none' | 'causal' | 'window' | 'prefix'
export type Scale = 'one' | 'root'

export interface State {
  readonly sentence: string
  readonly tokens: number
  readonly queryHeads: number
  readonly kvHeads: number
  readonly headDim: number
  readonly mask: Mask
  readonly window: number
  readonly prefix: number
  readonly scale: Scale
}

type FieldOf<Value> = Value extends number ? CountField : string extends Value ? TextField : ChoiceField<Value & string>

export type Name = keyof State
export type CountName = { [N in Name]: State[N] extends number ? N : never }[Name]
export type ChoiceName = 'mask' | 'scale'

export const fields: { readonly [N in Name]: FieldOf<State[N]> } = {
  sentence: { type: 'text', label: words.sentence, start: story.slice(0, 6).join(' ') },
  tokens: { type: 'count', label: words.tokens, start: 6, least: 0, most: 24 },
  queryHeads: { type: 'count', label: words.queryHeads, start: 1, least: 1, most: 8 },
  kvHeads: {
    type: 'count',
    label: words.kvHeads,
    // As many as there are query heads, until a person asks for fewer.
    start: 8,
    least: 1,
    most: 8,
    only: (count, { queryHeads }) => queryHeads % count === 0,
  },
  headDim: { type: 'count', label: words.headDim, start: 3, least: 1, most: 16 },
  mask: { type: 'choice', label: words.mask, start: 'causal', options: words.maskNames },
  window: {
    type: 'count',
    label: words.window,
    start: 3,
    least: 1,
    most: 24,
    only: (count, { tokens }) => count <= Math.max(tokens, 1),
  },
  prefix: {
    type: 'count',
    label: words.prefix,
    start: 2,
    least: 0,
    most: 24,
    only: (count, { tokens }) => count <= tokens,
  },
  scale: { type: 'choice', label: words.scale, start: 'one', options: words.scaleNames },
}

export const start: State = Object.fromEntries(
  Object.entries(fields).map(([name, field]) => [name, field.start]),
) as unknown as State

/** The counts that a field can hold as things are, in order. */
export function permitted(name: CountName, state: State): number[] {
  const { least, most, only } = fields[name]
  const all = Array.from({ length: most - least + 1 }, (_, index) => least + index)
  return only ? all.filter((count) => only(count, state)) : all
}

/** The largest permitted count that is no more than the one asked for. */
export function countOf(name: CountName, state: State): number {
  const counts = permitted(name, state)
  return counts.findLast((count) => count <= state[name]) ?? (counts[0] as number)
}

/** The state after a field is given a value; what the field cannot hold leaves it as it was. */
export function change(state: State, name: Name, value: string | number): State {
  const field = fields[name]
  if (field.type === 'choice') return value in field.options ? { ...state, [name]: value } : state
  if (field.type === 'text') {
    const sentence = String(value)
    return { ...state, sentence, tokens: Math.min(split(sentence).length, fields.tokens.most) }
  }
  const wanted = Number(value)
  if (!Number.isInteger(wanted) || wanted < field.least || wanted > field.most) return state
  if (name === 'tokens') return { ...state, sentence: lengthen(state.sentence, wanted), tokens: wanted }
  // "As many as query heads" is what a person means who puts the slider at its end.
  if (name === 'kvHeads' && wanted === state.queryHeads) return { ...state, kvHeads: field.most }
  return { ...state, [name]: wanted }
}

/** The state as the parts draw it: every count as it is in force. */
export interface Settings {
  readonly tokens: readonly string[]
  readonly typed: number
  readonly queryHeads: number
  readonly kvHeads: number
  readonly headDim: number
  readonly mask: Mask
  readonly window: number
  readonly prefix: number
  readonly scale: Scale
}

export function settingsOf(state: State): Settings {
  const tokens = split(state.sentence)
  return {
    tokens: tokens.slice(0, state.tokens),
    typed: tokens.length,
    queryHeads: state.queryHeads,
    kvHeads: countOf('kvHeads', state),
    headDim: state.headDim,
    mask: state.mask,
    window: countOf('window', state),
    prefix: countOf('prefix', state),
    scale: state.scale,
  }
}
