// From the settings to the layer that the engine is asked about: the tokens'
// vectors, the weight matrices and the mask. Inputs only; what follows from them is
// the engine's to compute.

import type { Layer, Preset, Problem } from '../../engine/index.ts'
import { matrix } from '../vectors.ts'
import { cellOf, type Edits } from './field.ts'
import { areUsual, type Place } from './positions.ts'
import type { Inputs } from './remembering.ts'
import type { Rule } from './rules.ts'
import { countOf, type Settings } from './settings.ts'
import type { State } from './state.ts'

/** The vectors of the tokens [max(T, S), M], and the weights as [out, in]. */
export interface Numbers {
  readonly x: Float32Array
  readonly wq: Float32Array
  readonly wk: Float32Array
  readonly wv: Float32Array
  readonly wo: Float32Array
}

type WeightName = 'wq' | 'wk' | 'wv' | 'wo'

/** Everything that can be edited cell by cell, edits included. Throws what the engine refuses. */
export function numbersOf(engine: Inputs, settings: Settings): Numbers {
  const { state } = settings
  const made = state.preset === 'example' ? exampleOf(engine, settings) : handMade(engine, settings, state.preset)
  return {
    x: edited(made.x, settings.features, state.xEdits),
    wq: edited(made.wq, settings.features, state.wqEdits),
    wk: edited(made.wk, settings.features, state.wkEdits),
    wv: edited(made.wv, settings.features, state.wvEdits),
    wo: edited(made.wo, settings.queryHeads * settings.valueDim, state.woEdits),
  }
}

/** A layer of this size with one filling, as the engine makes it. */
function preset(engine: Inputs, settings: Settings, name: Preset['preset'], tokenIds?: number[]) {
  const { queryHeads, kvHeads, headDim, valueDim, features, tokens, state } = settings
  return engine.preset({
    // The weights are there before the first token is.
    ...{
      preset: name,
      queries: Math.max(tokens.length, 1),
      queryHeads,
      kvHeads,
      headDim,
      valueDim,
      modelDim: features,
    },
    ...(name === 'random' ? { seed: state.seed } : {}),
    ...(tokenIds ? { tokenIds } : {}),
  })
}

/** For the vectors and for each weight matrix the filling that was chosen; the words' own is that of the page. */
function exampleOf(engine: Inputs, settings: Settings): Numbers {
  const { tokens, features, state } = settings
  const layers = new Map<string, ReturnType<typeof preset>>()
  const layerOf = (kind: Preset['preset']) => {
    const layer = layers.get(kind) ?? preset(engine, settings, kind)
    layers.set(kind, layer)
    return layer
  }
  const weights = (name: WeightName) => layerOf(state[name])[name]
  const vectors = state.x === 'words' ? matrix(tokens, features, state.seed) : layerOf(state.x).context
  return {
    x: vectors.subarray(0, tokens.length * features),
    wq: weights('wq'),
    wk: weights('wk'),
    wv: weights('wv'),
    wo: weights('wo'),
  }
}

const handMadeNames = { previous: 'previous-token', first: 'first-token', same: 'same-token' } as const

function handMade(engine: Inputs, settings: Settings, kind: keyof typeof handMadeNames): Numbers {
  const { tokens } = settings
  const ids = kind === 'same' ? tokens.map((token) => tokens.indexOf(token)) : undefined
  const { context, wq, wk, wv, wo } = preset(engine, settings, handMadeNames[kind], ids)
  return { x: context, wq, wk, wv, wo }
}

function edited(values: Float32Array, columns: number, edits: Edits): Float32Array {
  if (edits.size === 0) return values
  const copy = values.slice()
  const rows = columns === 0 ? 0 : values.length / columns
  for (const [cell, value] of edits) {
    const [row, column] = cellOf(cell)
    // An edit outside of what there is now waits until there is more.
    if (row < rows && column < columns) copy[row * columns + column] = value
  }
  return copy
}

/** The vectors of a sequence: padding's are zero. */
function sequence(x: Float32Array, tokens: readonly (number | undefined)[], features: number): Float32Array {
  const rows = new Float32Array(tokens.length * features)
  tokens.forEach((token, row) => {
    if (token !== undefined) rows.set(x.subarray(token * features, (token + 1) * features), row * features)
  })
  return rows
}

function stacked(parts: readonly Float32Array[]): Float32Array {
  if (parts.length === 1) return parts[0] as Float32Array
  const whole = new Float32Array(parts.reduce((size, part) => size + part.length, 0))
  parts.reduce((offset, part) => {
    whole.set(part, offset)
    return offset + part.length
  }, 0)
  return whole
}

/** The layer as the engine takes it. */
export function layerOf(settings: Settings, numbers: Numbers, places: readonly Place[], rules: readonly Rule[]): Layer {
  const { batch, queryHeads, kvHeads, queries, keys, headDim, valueDim, features, state, tokens } = settings
  const lastQueries = numbers.x.subarray((tokens.length - queries) * features)
  const keyVectors = stacked(places.map((place) => sequence(numbers.x, place.tokens, features)))
  const positions = areUsual(settings)
    ? {}
    : {
        queryPositions: places.flatMap(({ queryPositions }) => queryPositions),
        keyPositions: places.flatMap(({ keyPositions }) => keyPositions),
      }
  return {
    ...(queries === keys ? { x: keyVectors } : { x: lastQueries, context: keyVectors }),
    wq: numbers.wq,
    wk: numbers.wk,
    wv: numbers.wv,
    wo: numbers.wo,
    batch,
    queryHeads,
    kvHeads,
    queries,
    keys,
    headDim,
    valueDim,
    modelDim: features,
    ...positions,
    ...scaleOf(state),
    ...(state.softcap > 0 ? { softcap: state.softcap } : {}),
    ...maskOf(state, rules, batch, queries, keys),
  }
}

function scaleOf({ scale, ownScale }: State): { scale?: number } {
  if (scale === 'root') return {}
  return { scale: scale === 'one' ? 1 : ownScale }
}

/** Causal rule and plain window as what they are, which lets the kernels skip; the rest as a list of pairs. */
function maskOf(state: State, rules: readonly Rule[], batch: number, queries: number, keys: number) {
  const plainWindow = state.window && countOf('sinks', state) === 0
  const listed = rules.filter(({ name }) => name !== 'causal' && !(name === 'window' && plainWindow))
  const causal = state.causal
  const window = plainWindow
    ? { window: { left: countOf('windowWidth', state) - 1, ...(causal ? {} : { right: 0 }) } }
    : {}
  if (listed.length === 0) return { causal, ...window }
  const each = listed.some(({ allowed }) => allowed.length > queries * keys) ? batch : 1
  const allowed = new Uint8Array(each * queries * keys).fill(1)
  for (const rule of listed) {
    for (let index = 0; index < allowed.length; ++index) {
      if (rule.allowed[index % rule.allowed.length] === 0) allowed[index] = 0
    }
  }
  return { causal, ...window, allowed, allowedShape: [each, 1, queries, keys] }
}

/** The attention inside of a layer, with its projected tokens [B, tokens, heads · D], as the engine takes it. */
export function problemOf(layer: Layer, settings: Settings, projected: Pick<Problem, 'q' | 'k' | 'v'>): Problem {
  const { batch, queryHeads, kvHeads, queries, keys, headDim, valueDim } = settings
  const { causal, window, queryPositions, keyPositions, allowed, allowedShape, scale, softcap } = layer
  return {
    ...{ ...projected, layout: 'bthd', batch, queryHeads, kvHeads, queries, keys, headDim, valueDim },
    ...{ causal, window, queryPositions, keyPositions, allowed, allowedShape, scale, softcap },
  }
}
