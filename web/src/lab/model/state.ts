// The widget's state: one table. From it come the attributes and properties of the
// element, the address that shares it, the controls with their labels and ranges,
// and the check of every new value.

import { story } from '../tokens.ts'
import { stateWords as words } from '../words.ts'
import { choice, count, edits, type Field, flag, following, list, number, pairs, text } from './field.ts'

export const most = { tokens: 2048, heads: 16, dim: 64, features: 256 }
const position = 1_000_000

/** In the order in which an address names them. */
export const fields = {
  // Tokens, and where they stand.
  text: text(words.text, 'text', story.slice(0, 6).join(' ')),
  keys: count(words.keys, 's', 6, 0, most.tokens),
  queries: following(words.queries, 't', 0, most.tokens),
  positions: choice(words.positions, 'pos', 'training', words.positionNames),
  step: count(words.step, 'step', 0, 0, most.tokens - 1),
  chunkStart: count(words.chunkStart, 'from', 2, 0, most.tokens - 1),
  chunkSize: count(words.chunkSize, 'chunk', 2, 1, most.tokens),
  shorter: count(words.shorter, 'len', 4, 0, most.tokens),
  queryPositions: list(words.queryPositions, 'qp', [], { least: -position, most: position }),
  keyPositions: list(words.keyPositions, 'kp', [], { least: -position, most: position }),

  // The layer.
  queryHeads: count(words.queryHeads, 'h', 1, 1, most.heads),
  kvHeads: following(words.kvHeads, 'kv', 1, most.heads),
  headDim: count(words.headDim, 'd', 3, 1, most.dim),
  valueDim: following(words.valueDim, 'dv', 1, most.dim),
  features: following(words.features, 'm', 1, most.features),
  scale: choice(words.scale, 'scale', 'one', words.scaleNames),
  ownScale: number(words.ownScale, 'sv', 0.5, { least: -10, most: 10, step: 0.1 }),
  softcap: number(words.softcap, 'cap', 0, { least: 0, most: 100, step: 0.5 }),

  // Its numbers.
  seed: count(words.seed, 'seed', 0, 0, 9999),
  preset: choice(words.preset, 'set', 'example', words.presetNames),
  x: choice(words.x, 'x', 'words', words.vectorNames),
  wq: choice(words.wq, 'wq', 'identity', words.weightNames),
  wk: choice(words.wk, 'wk', 'identity', words.weightNames),
  wv: choice(words.wv, 'wv', 'identity', words.weightNames),
  wo: choice(words.wo, 'wo', 'identity', words.weightNames),
  xEdits: edits(words.xEdits, 'xe'),
  wqEdits: edits(words.wqEdits, 'wqe'),
  wkEdits: edits(words.wkEdits, 'wke'),
  wvEdits: edits(words.wvEdits, 'wve'),
  woEdits: edits(words.woEdits, 'woe'),

  // The rules of the mask. All that are on hold at once.
  causal: flag(words.causal, 'causal', true),
  window: flag(words.window, 'window', false),
  windowWidth: count(words.windowWidth, 'w', 3, 1, most.tokens),
  sinks: count(words.sinks, 'sinks', 0, 0, most.tokens),
  prefix: flag(words.prefix, 'prefix', false),
  prefixLength: count(words.prefixLength, 'p', 2, 0, most.tokens),
  documents: flag(words.documents, 'docs', false),
  documentLengths: list(words.documentLengths, 'dl', [3, 3], { least: 1, most: most.tokens }),
  blocks: flag(words.blocks, 'blocks', false),
  blockSize: count(words.blockSize, 'bs', 2, 1, most.tokens),
  localBlocks: count(words.localBlocks, 'bl', 1, 1, most.tokens),
  globalStride: count(words.globalStride, 'bg', 0, 0, most.tokens),
  dilated: flag(words.dilated, 'dilated', false),
  dilatedWidth: count(words.dilatedWidth, 'dw', 6, 1, most.tokens),
  dilation: count(words.dilation, 'dd', 2, 1, most.tokens),
  painted: flag(words.painted, 'paint', false),
  paintedCells: pairs(words.paintedCells, 'cells'),

  // What is looked at.
  stage: choice(words.stage, 'stage', 'weights', words.stageNames),
  sequence: count(words.sequence, 'b', 0, 0, 1),
  head: count(words.head, 'head', 0, 0, most.heads - 1),
  heads: choice(words.heads, 'view', 'all', words.headsNames),
  weightsBy: choice(words.weightsBy, 'by', 'wasm', words.engineNames),
  cell: list(words.cell, 'cell', [1, 0], { least: 0, most: most.tokens - 1, length: 2 }),
  locked: flag(words.locked, 'lock', false),
} satisfies Record<string, Field>

export type Name = keyof typeof fields
type Value<N extends Name> = (typeof fields)[N]['start']
type Widened<V> = V extends string ? (string extends V ? string : V) : V
export type State = { readonly [N in Name]: Widened<Value<N>> }
type NamesOf<Kind extends Field['kind']> = { [N in Name]: (typeof fields)[N]['kind'] extends Kind ? N : never }[Name]
export type CountName = NamesOf<'count'>
export type NumberName = NamesOf<'number'>
export type FlagName = NamesOf<'flag'>
export type ListName = NamesOf<'list'>
export type EditsName = NamesOf<'edits'>

export const names = Object.keys(fields) as Name[]

export const start = Object.fromEntries(names.map((name) => [name, fields[name].start])) as unknown as State

/** The name of the attribute that sets a field: queryHeads is query-heads. */
export const attributeOf = (name: Name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The text of a field's value, as an address or an attribute holds it. */
export const written = (name: Name, state: State): string =>
  (fields[name].write as (value: unknown) => string)(state[name])

/** Whether two states say the same by a field. */
export const agree = (name: Name, a: State, b: State) =>
  a[name] === b[name] || (a[name] !== undefined && b[name] !== undefined && written(name, a) === written(name, b))

/** Fields that say what is looked at; they change no number. */
export const looks: ReadonlySet<Name> = new Set(['stage', 'sequence', 'head', 'heads', 'weightsBy', 'cell', 'locked'])

/** Whether two states give the same numbers. */
export const sameNumbers = (a: State, b: State) => names.every((name) => looks.has(name) || agree(name, a, b))
