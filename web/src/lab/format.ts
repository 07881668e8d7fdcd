// Numbers as text. Rounding for display is the only thing done to a number here.

/** To a number of decimals, with a minus sign as wide as a digit, and none before a zero. */
export function rounded(value: number, decimals: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value < 0 ? '−∞' : '∞'
  const text = value.toFixed(decimals)
  return Number(text) === 0 ? text.replace('-', '') : typeset(text)
}

/** A number's minus signs as wide as digits. */
export const typeset = (text: string) => text.replaceAll('-', '−')

/** A weight in a cell. */
export const weight = (value: number) => rounded(value, 3)

/** A number of the arithmetic: with four decimals, or as a power of ten where these would not tell it. */
export function exact(value: number): string {
  const size = Math.abs(value)
  const plain = size === 0 || (size >= 0.001 && size < 1e6) || !Number.isFinite(value)
  return plain ? rounded(value, 4) : typeset(value.toExponential(3).replace('e+', 'e'))
}

/** A scale, short where it is whole. */
export const scale = (value: number) =>
  Number.isInteger(value) && Math.abs(value) < 1e6 ? rounded(value, 0) : exact(value)

/** A number that follows an operator: a negative one is put in brackets. */
export const bracketed = (value: number) => (value < 0 ? `(${exact(value)})` : exact(value))
