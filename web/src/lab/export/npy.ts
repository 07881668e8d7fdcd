// Stages in NumPy's file formats: .npy, version 1.0 (NEP 1), and .npz, a ZIP archive
// of them that is stored rather than compressed, as numpy.savez writes it.

import { zipSync } from 'fflate'
import type { Stage } from '../model/stage.ts'
import { rowMajor } from './row-major.ts'

/** Values must begin at a multiple of this many bytes. */
const alignment = 64

/** The file that numpy.load() reads as a float32 array of the stage's shape. */
export function npy(stage: Stage): Uint8Array<ArrayBuffer> {
  const values = rowMajor(stage)
  // Python's tuple of one has a comma.
  const shape = stage.shape.length === 1 ? `${stage.shape[0]},` : stage.shape.join(', ')
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape}), }`
  const preamble = 10
  const start = Math.ceil((preamble + header.length + 1) / alignment) * alignment
  const file = new Uint8Array(start + 4 * values.length)
  const view = new DataView(file.buffer)
  const text = `\u0093NUMPY\u0001\u0000`
  const padded = `${header.padEnd(start - preamble - 1)}\n`
  for (let index = 0; index < text.length; ++index) file[index] = text.charCodeAt(index)
  view.setUint16(8, padded.length, true)
  for (let index = 0; index < padded.length; ++index) file[preamble + index] = padded.charCodeAt(index)
  values.forEach((value, index) => {
    view.setFloat32(start + 4 * index, value, true)
  })
  return file
}

/** The archive that numpy.load() reads as arrays by the stages' names. */
export function npz(stages: readonly Stage[]): Uint8Array<ArrayBuffer> {
  // The same stages give the same bytes on any day; ZIP's years begin at 1980.
  const options = { level: 0, mtime: new Date(1980, 0, 1) } as const
  return zipSync(Object.fromEntries(stages.map((stage) => [`${stage.name}.npy`, [npy(stage), options]])))
}
