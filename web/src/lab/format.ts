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

/** A number of the arithmetic. */
export const exact = (value: number) => rounded(value, 4)

/** A scale, short where it is whole. */
export const scale = (value: number) => (Number.isInteger(value) ? rounded(value, 0) : rounded(value, 4))
