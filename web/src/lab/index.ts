// The widget: <attention-playground> and its parts.

import { AttentionCard } from './attention-card.ts'
import { AttentionControls } from './attention-controls.ts'
import { AttentionHeads } from './attention-heads.ts'
import { AttentionHeatmap } from './attention-heatmap.ts'
import { AttentionPlayground } from './attention-playground.ts'
import { AttentionVectors } from './attention-vectors.ts'

const elements = {
  'attention-playground': AttentionPlayground,
  'attention-controls': AttentionControls,
  'attention-heads': AttentionHeads,
  'attention-heatmap': AttentionHeatmap,
  'attention-card': AttentionCard,
  'attention-vectors': AttentionVectors,
}

/** Defines the elements; a page that has them already keeps the ones it has. */
export function defineWidget() {
  for (const [name, element] of Object.entries(elements)) {
    if (!customElements.get(name)) customElements.define(name, element)
  }
}

export type { AttentionPlayground }
