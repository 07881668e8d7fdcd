// Where a number stands between the ends of its legend, and so in which colour.

import type { Matrix } from '../model/stage.ts'
import { type Palette, type Ramp, steps } from './palette.ts'

/** The least and the largest number that a legend names. */
export interface Range {
  readonly min: number
  readonly max: number
  /** Whether larger numbers have the colour of `max` too. */
  readonly open?: boolean
}

/** A finite value's colour is that of index `centre + (value - origin) * factor`, rounded, of the ramp. */
export interface Scale {
  readonly ramp: Ramp
  readonly centre: number
  readonly origin: number
  readonly factor: number
}

/**
 * The scale of a range: with numbers below zero the one of two hues, zero in its
 * middle and both signs to the same measure; else the one of one hue from min to max.
 * Where min is max there is one colour. A range that isn't one counts as 0 to 0.
 */
export function scaleOf({ min, max }: Range, { sequential, diverging }: Palette): Scale {
  if (!(min <= max && Number.isFinite(max - min))) return scaleOf({ min: 0, max: 0 }, { sequential, diverging })
  if (min < 0) {
    return { ramp: diverging, centre: steps, origin: 0, factor: steps / Math.max(-min, max) }
  }
  const centre = min === max && min > 0 ? Math.round(steps / 2) : 0
  return { ramp: sequential, centre, origin: min, factor: min === max ? 0 : steps / (max - min) }
}

/** The index of a value's colour; of one beyond the range, that of the end it is beyond. */
export function indexOf(value: number, { ramp, centre, origin, factor }: Scale): number {
  const index = Math.round(centre + (value - origin) * factor)
  return Math.min(Math.max(index, 0), ramp.pixels.length - 1)
}

/** The range of everything finite and visible in the matrices, zero among it. */
export function rangeOf(matrices: readonly Matrix[]): Range {
  let min = 0
  let max = 0
  for (const { rows, columns, offset, rowStride, columnStride, stage } of matrices) {
    const { values, hiddenBy } = stage
    for (let row = 0; row < rows; ++row) {
      for (let column = 0, at = offset + row * rowStride; column < columns; ++column, at += columnStride) {
        const value = values[at] as number
        // NaN where the value is no finite number.
        if (hiddenBy?.[at] || value - value !== 0) continue
        if (value < min) min = value
        else if (value > max) max = value
      }
    }
  }
  return { min, max }
}

/** To so many keys the weights' ramp goes to 1. */
const fewKeys = 16

/** Where it may end else, the largest first. */
const ends = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002].map(Math.fround)

/**
 * The range of weights: 0 to 1 where there are few keys. A row of many shares its 1 among
 * them, and nearly all cells of such a ramp would be white; so it ends as early as leaves less
 * than a quarter of all attention beyond it.
 */
export function rangeOfWeights({ rows, columns, offset, rowStride, columnStride, stage }: Matrix): Range {
  if (columns <= fewKeys) return { min: 0, max: 1 }
  let all = 0
  const beyond = ends.map(() => 0)
  for (let row = 0; row < rows; ++row) {
    for (let column = 0, at = offset + row * rowStride; column < columns; ++column, at += columnStride) {
      const weight = stage.values[at] as number
      if (weight - weight !== 0) continue
      all += weight
      for (let end = ends.length - 1; weight > (ends[end] as number); --end)
        beyond[end] = (beyond[end] as number) + weight
    }
  }
  const end = Math.max(
    beyond.findLastIndex((weights) => weights < all / 4),
    0,
  )
  return { min: 0, max: ends[end] as number, open: (beyond[end] as number) > 0 }
}
