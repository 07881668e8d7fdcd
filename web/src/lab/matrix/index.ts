// Matrices drawn: <attention-matrix>, <attention-legend>, <attention-matrices>.

import { AttentionCellEditor } from './attention-cell-editor.ts'
import { AttentionLegend } from './attention-legend.ts'
import { AttentionMatrices } from './attention-matrices.ts'
import { AttentionMatrix } from './attention-matrix.ts'

const elements = {
  'attention-matrix': AttentionMatrix,
  'attention-matrices': AttentionMatrices,
  'attention-legend': AttentionLegend,
  'attention-cell-editor': AttentionCellEditor,
}

/** Defines the elements; a page that has them already keeps the ones it has. */
export function defineMatrices() {
  for (const [name, element] of Object.entries(elements)) {
    if (!customElements.get(name)) customElements.define(name, element)
  }
}

export type { HeadRegion, OfHead } from './attention-matrices.ts'
export type { EditDetail, MatrixCell, PaintDetail, Region } from './attention-matrix.ts'
export { type Range, rangeOf } from './range.ts'
export { AttentionLegend, AttentionMatrices, AttentionMatrix }
