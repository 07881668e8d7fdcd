// A large matrix on few pixels: each is the mean of a block of cells.

import { isHeld, type Matrix } from '../model/stage.ts'

/**
 * The means of blocks of `block` rows and `across` columns, fewer at the far edges. A
 * block's mean is that of what is visible in it; where nothing is, it is hidden by the
 * rules that hide its first cell. What is no number stays none; of a stage whose
 * numbers are not held, only what is hidden is told.
 */
export function means(matrix: Matrix, block: number, across = block): Matrix {
  const { offset, rowStride, columnStride, stage } = matrix
  const rows = Math.ceil(matrix.rows / block)
  const columns = Math.ceil(matrix.columns / across)
  const held = isHeld(stage)
  const values = new Float32Array(held ? rows * columns : 0)
  const hiddenBy = new Uint16Array(rows * columns)
  for (let row = 0; row < rows; ++row) {
    const lastRow = Math.min((row + 1) * block, matrix.rows)
    for (let column = 0; column < columns; ++column) {
      const lastColumn = Math.min((column + 1) * across, matrix.columns)
      let sum = 0
      let count = 0
      for (let i = row * block; i < lastRow; ++i) {
        for (let j = column * across; j < lastColumn; ++j) {
          const at = offset + i * rowStride + j * columnStride
          if (stage.hiddenBy?.[at]) continue
          if (held) sum += stage.values[at] as number
          ++count
        }
      }
      const to = row * columns + column
      if (held && count > 0) values[to] = sum / count
      if (count === 0) {
        hiddenBy[to] = stage.hiddenBy?.[offset + row * block * rowStride + column * across * columnStride] ?? 0
      }
    }
  }
  const mean = { ...stage, shape: [rows, columns], strides: [columns, 1], values, hiddenBy }
  return { rows, columns, offset: 0, rowStride: columns, columnStride: 1, stage: mean }
}
