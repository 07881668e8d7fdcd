import { expect } from 'vitest'

/** Fails with the index, both values and the shape of the worst disagreement. */
export function expectClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number | ((expected: number) => number),
  shape: readonly number[],
  what = '',
): void {
  expect(actual.length, `${what} length for shape [${shape.join(', ')}]`).toBe(expected.length)
  for (let i = 0; i < expected.length; i++) {
    const a = actual[i] as number
    const e = expected[i] as number
    const allowed = typeof tolerance === 'number' ? tolerance : tolerance(e)
    const same = Object.is(a, e) || (Number.isNaN(a) && Number.isNaN(e)) || Math.abs(a - e) <= allowed
    if (!same) {
      expect.fail(
        `${what} index ${i} = [${unravel(i, shape).join(', ')}] of shape [${shape.join(', ')}]: ` +
          `got ${a}, expected ${e} within ${allowed}`,
      )
    }
  }
}

function unravel(index: number, shape: readonly number[]): number[] {
  const at: number[] = []
  let rest = index
  for (const size of [...shape].reverse()) {
    at.unshift(rest % size)
    rest = Math.floor(rest / size)
  }
  return at
}

/**
 * The contract's accuracy: no more than twice the error of a plain float32
 * evaluation, plus 1e-6.
 */
export function contractTolerance(exact: ArrayLike<number>, plain: ArrayLike<number>): number {
  let worst = 0
  for (let i = 0; i < exact.length; i++) {
    worst = Math.max(worst, Math.abs((exact[i] as number) - (plain[i] as number)))
  }
  return 2 * worst + 1e-6
}
