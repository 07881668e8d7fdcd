import type { Stage } from '../model/stage.ts'

/** The values of a stage in row-major order, whatever its strides. */
export function rowMajor({ shape, strides, values }: Stage): Float32Array {
  const size = shape.reduce((product, axis) => product * axis, 1)
  const ordered = new Float32Array(size)
  const index = shape.map(() => 0)
  let from = 0
  for (let to = 0; to < size; ++to) {
    ordered[to] = values[from] as number
    // The next index, last axis first, like an odometer.
    for (let axis = shape.length - 1; axis >= 0; --axis) {
      const next = (index[axis] as number) + 1
      const stride = strides[axis] as number
      from += stride
      if (next < (shape[axis] as number)) {
        index[axis] = next
        break
      }
      from -= next * stride
      index[axis] = 0
    }
  }
  return ordered
}
