// A layer as the program writers need it: sizes stated, arrays flat, and what is
// absent filled in as the fields' documentation says. The layer is one that the
// engine has accepted; nothing is checked here.

import type { Layer } from '../../engine/index.ts'

export type Floats = Float32Array
type Given = NonNullable<Layer['x'] | Layer['allowed']>

/** Values that broadcast to [B, Hq, T, S]; an axis of 1 serves every index. */
export interface Broadcast<Values> {
  readonly values: Values
  readonly shape: readonly [number, number, number, number]
}

/** Positions, [count] or [batch, count]. */
export interface Positions {
  readonly values: readonly number[]
  readonly batch: number
}

export interface Program {
  readonly sizes: Readonly<Record<'B' | 'Hq' | 'Hkv' | 'T' | 'S' | 'D' | 'Dv' | 'M' | 'N', number>>
  readonly x: Floats
  readonly context: Floats | undefined
  readonly wq: Floats
  readonly wk: Floats
  readonly wv: Floats
  readonly wo: Floats
  /** undefined: 1 / √D. */
  readonly scale: number | undefined
  /** undefined: none. */
  readonly softcap: number | undefined
  readonly bias: Broadcast<Floats> | undefined
  readonly causal: boolean
  /** The most positions that a key may stand before and after its query; undefined: no limit. */
  readonly left: number | undefined
  readonly right: number | undefined
  readonly queryPositions: Positions | undefined
  readonly keyPositions: Positions | undefined
  readonly allowed: Broadcast<readonly boolean[]> | undefined
  /** Whether a rule may hide a key at all. */
  readonly hides: boolean
  /** Whether some query may see no key. */
  readonly emptyRows: boolean
  /** Whether NaN or infinity stands in what is mixed, so that a hidden one must not be multiplied by its zero. */
  readonly nonFinite: boolean
}

export function programOf(layer: Layer): Program {
  const B = layer.batch ?? 1
  const Hq = layer.queryHeads ?? 1
  const T = layer.queries
  const S = layer.keys ?? T
  const D = layer.headDim
  const M = layer.modelDim
  const sizes = {
    ...{ B, Hq, T, S, D, M },
    Hkv: layer.kvHeads ?? Hq,
    Dv: layer.valueDim ?? D,
    N: layer.outputDim ?? M,
  }
  const floats = (given: Given) => Float32Array.from(flat(given))
  const broadcast = <Values extends ArrayLike<unknown>>(values: Values, given: readonly number[] | undefined) => {
    const whole = values.length === T * S ? [T, S] : [B, Hq, T, S]
    const shape = given && given.length > 0 ? given : whole
    return { values, shape: [1, 1, 1, 1, ...shape].slice(-4) as unknown as Broadcast<Values>['shape'] }
  }
  const positions = (given: Layer['queryPositions'], count: number): Positions | undefined => {
    if (!given) return undefined
    const values = flat(given).map(Number)
    return { values, batch: values.length > count ? B : 1 }
  }

  const allowed = layer.allowed && broadcast(flat(layer.allowed).map(Boolean), layer.allowedShape)
  const bias = layer.bias && broadcast(floats(layer.bias), layer.biasShape)
  const biasHides = bias?.values.includes(Number.NEGATIVE_INFINITY) ?? false
  const { window } = layer
  const { left, right } = typeof window === 'number' ? { left: window - 1, right: 0 } : (window ?? {})
  const causal = layer.causal ?? true
  const queryPositions = positions(layer.queryPositions, T)
  const keyPositions = positions(layer.keyPositions, S)
  const inputs = {
    x: floats(layer.x),
    context: layer.context && floats(layer.context),
    wq: floats(layer.wq),
    wk: floats(layer.wk),
    wv: floats(layer.wv),
    wo: floats(layer.wo),
  }
  const mixed = [inputs.context ?? inputs.x, inputs.wv]
  const byPosition = causal || left !== undefined || right !== undefined
  const hides = byPosition || allowed !== undefined || biasHides
  return {
    sizes,
    ...inputs,
    scale: layer.scale,
    softcap: layer.softcap || undefined,
    bias,
    causal,
    left,
    right: causal && right !== undefined ? undefined : right,
    queryPositions,
    keyPositions,
    allowed,
    hides,
    // With the usual positions a query's own key is there, and no position rule hides it.
    emptyRows:
      allowed !== undefined || biasHides || (byPosition && (S < T || queryPositions !== undefined || !!keyPositions)),
    nonFinite: hides && mixed.some((values) => !values.every(Number.isFinite)),
  }
}

function flat(given: Given): number[] {
  return Array.isArray(given)
    ? ((given as unknown[]).flat(Number.POSITIVE_INFINITY) as number[])
    : Array.from(given as ArrayLike<number>)
}

/** A token in a comment: in quotes, and without anything that could end the line or reorder it. */
export function commented(token: string): string {
  return JSON.stringify(token).replace(
    /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
