// Float32 values as text that gives the same float32 when it is read again.

/** The shortest decimal that rounds to the value; -0 keeps its sign. */
export function shortest(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf'
  if (Object.is(value, -0)) return '-0'
  for (let digits = 1; digits < 9; ++digits) {
    const rounded = Number(value.toPrecision(digits))
    if (Math.fround(rounded) === value) return String(rounded)
  }
  // Nine digits tell any two float32 apart.
  return String(Number(value.toPrecision(9)))
}
