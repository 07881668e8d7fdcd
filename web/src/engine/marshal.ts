// Brings a caller's object into the form that the core reads: known fields, and
// typed arrays for arrays. Only what a loosely typed caller can get wrong is looked
// at here; the sentence about it, like all others, is the core's.

import { type Core, isFailure, type Success } from './core.ts'
import { AttentionError } from './error.ts'

const inputs = ['problem', 'layer', 'cost', 'mask', 'cache', 'append', 'decode', 'inspect', 'preset'] as const

/** The inputs that the core knows, by the names of its enumeration. */
export type InputName = (typeof inputs)[number]

/** The kind of each field of each input, as the core's table has it. */
export type FieldKinds = Readonly<Record<InputName, Readonly<Record<string, string>>>>

export function readFieldKinds(core: Core): FieldKinds {
  const kinds = inputs.map((input) => [input, core.fieldKinds(core.Input[input])])
  return Object.fromEntries(kinds) as FieldKinds
}

export function fail(result: unknown): never {
  if (isFailure(result)) throw new AttentionError(result.error)
  throw new TypeError('the core reported no error')
}

/** The result of a core function. Throws an AttentionError where it is none. */
export function succeeded<Result>(result: Result): Success<Result> {
  if (isFailure(result)) fail(result)
  return result as Success<Result>
}

/** `given` as the core reads it. Throws an AttentionError where it can't be. */
export function marshal<Given extends object>(core: Core, kinds: FieldKinds, input: InputName, given: Given): Given {
  if (typeof given !== 'object' || given === null) fail(core.wrongType(input, given))
  const plain: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(given)) {
    const kind = kinds[input][field]
    if (kind === undefined) fail(core.unknownField(core.Input[input], field))
    plain[field] = value === undefined ? value : asKind(core, field, kind, value)
  }
  return plain as Given
}

function asKind(core: Core, field: string, kind: string, value: unknown): unknown {
  if (kind !== 'floats' && kind !== 'positions' && kind !== 'booleans') return value
  if (Array.isArray(value)) return typed(core, field, kind, value)
  if (!isNumeric(value) || (kind === 'booleans' && isFloat(value))) fail(core.wrongType(field, value))
  return value
}

function typed(core: Core, field: string, kind: string, list: readonly unknown[]) {
  const flat: readonly unknown[] = list.some(Array.isArray) ? list.flat(Number.POSITIVE_INFINITY) : list
  const belongs = (value: unknown) =>
    kind === 'booleans' ? typeof value === 'boolean' || value === 0 || value === 1 : typeof value === 'number'
  // A hole counts as undefined here; findIndex visits it.
  const odd = flat.findIndex((value) => !belongs(value))
  if (odd >= 0) fail(core.wrongElement(field, odd, flat[odd]))
  return kind === 'booleans' ? Uint8Array.from(flat as number[]) : Float64Array.from(flat as number[])
}

const isNumeric = (value: unknown) =>
  ArrayBuffer.isView(value) &&
  !(value instanceof DataView || value instanceof BigInt64Array || value instanceof BigUint64Array)

/** Those that the runtime has: Float16Array is of 2025. */
const floats = [Float32Array, Float64Array, globalThis.Float16Array].filter(Boolean)

const isFloat = (value: unknown) => floats.some((kind) => value instanceof kind)
