// Brings a caller's object into the form that the core reads: a plain object
// whose arrays are typed arrays. Nothing is judged here but whether an array's
// elements have the right JavaScript type; the sentence for that, too, is the
// core's.

import { type Core, isFailure } from './core.ts'
import { AttentionError } from './error.ts'

type Elements = 'floats' | 'positions' | 'booleans'

const isElements = (kind: string | undefined): kind is Elements =>
  kind === 'floats' || kind === 'positions' || kind === 'booleans'

export function fail(result: unknown): never {
  if (isFailure(result)) throw new AttentionError(result.error)
  throw new TypeError('the core reported no error')
}

function typed(core: Core, field: string, kind: Elements, list: readonly unknown[]) {
  const flat: readonly unknown[] = list.some(Array.isArray) ? list.flat(Infinity) : list
  const belongs = (value: unknown) =>
    kind === 'booleans' ? typeof value === 'boolean' || value === 0 || value === 1 : typeof value === 'number'
  // A hole counts as undefined here; findIndex visits it.
  const odd = flat.findIndex((value) => !belongs(value))
  if (odd >= 0) fail(core.wrongElement(field, odd, flat[odd]))
  return kind === 'booleans' ? Uint8Array.from(flat as number[]) : Float64Array.from(flat as number[])
}

const isTyped = (value: unknown) =>
  ArrayBuffer.isView(value) &&
  !(value instanceof DataView || value instanceof BigInt64Array || value instanceof BigUint64Array)

/** `given` as the core reads it. Throws an AttentionError where it can't be. */
export function marshal<Given extends object>(
  core: Core,
  kinds: Readonly<Record<string, string>>,
  given: Given,
): Given {
  if (typeof given !== 'object' || given === null) fail(core.wrongType('problem', given))
  const plain = { ...(given as Record<string, unknown>) }
  for (const [field, value] of Object.entries(plain)) {
    const kind = kinds[field]
    if (value === undefined || !isElements(kind) || isTyped(value)) continue
    if (!Array.isArray(value)) fail(core.wrongType(field, value))
    plain[field] = typed(core, field, kind, value)
  }
  return plain as Given
}
