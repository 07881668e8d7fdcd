// What a person can take away. Nothing of this is needed before it is asked for: the
// widget imports it when the first file is wanted.

import type { Layer } from '../../engine/index.ts'
import type { Stage } from '../model/stage.ts'
import type { exportWords } from '../words.ts'
import { cpp } from './cpp.ts'
import { csv, type Labels } from './csv.ts'
import { npy, npz } from './npy.ts'
import { numpy, pytorch } from './python.ts'

/** What is on the screen. */
export interface Shown {
  readonly layer: Layer
  readonly stages: readonly Stage[]
  /** The stage that is looked at. */
  readonly stage: Stage
  /** The tokens along T and S. */
  readonly labels: Labels
}

interface Format {
  readonly name: (shown: Shown) => string
  readonly type: string
  readonly content: (shown: Shown) => string | Uint8Array<ArrayBuffer>
}

const ofStage = (ending: string) => (shown: Shown) => `${shown.stage.name}.${ending}`

/** The files made of numbers, by the name of their format; pictures need a palette: see picture.ts. */
export const formats: Record<Exclude<keyof typeof exportWords.formats, 'svg' | 'png'>, Format> = {
  csv: { name: ofStage('csv'), type: 'text/csv', content: ({ stage, labels }) => csv(stage, labels) },
  npy: { name: ofStage('npy'), type: 'application/octet-stream', content: ({ stage }) => npy(stage) },
  npz: { name: () => 'attention.npz', type: 'application/zip', content: ({ stages }) => npz(stages) },
  numpy: { name: () => 'attention.py', type: 'text/x-python', content: ({ layer, labels }) => numpy(layer, labels) },
  pytorch: {
    name: () => 'attention_torch.py',
    type: 'text/x-python',
    content: ({ layer, labels }) => pytorch(layer, labels),
  },
  cpp: { name: () => 'attention.cpp', type: 'text/x-c++src', content: ({ layer, labels }) => cpp(layer, labels) },
}

export { type CellLook, type Layout, layoutOf } from './picture.ts'
export { png } from './png.ts'
export { save } from './save.ts'
export { svg } from './svg.ts'
