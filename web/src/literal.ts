import { shortest } from './lab/export/numbers.ts'

/** A value as JavaScript that makes it again, to the last bit. */
export function literal(value: unknown): string {
  if (ArrayBuffer.isView(value)) {
    const numbers = Array.from(value as Float32Array, value instanceof Float32Array ? float32 : literal)
    return `new ${value.constructor.name}([${numbers.join(',')}])`
  }
  if (Array.isArray(value)) return `[${value.map(literal).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}:${literal(part)}`)}}`
  }
  // JSON has neither -0 nor NaN nor infinity.
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  return JSON.stringify(value) ?? 'undefined'
}

const float32 = (value: number) => (Number.isFinite(value) ? shortest(value) : String(value))
