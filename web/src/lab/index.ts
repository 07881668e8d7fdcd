// The widget: <attention-playground> and its parts.

import { AttentionControls } from './attention-controls.ts'
import { AttentionField } from './attention-field.ts'
import { AttentionInspector } from './attention-inspector.ts'
import { AttentionPlayground } from './attention-playground.ts'
import { AttentionRules } from './attention-rules.ts'
import { AttentionStage } from './attention-stage.ts'
import { AttentionStrip } from './attention-strip.ts'
import { AttentionThumbnail } from './attention-thumbnail.ts'
import { AttentionToolbar } from './attention-toolbar.ts'
import { defineMatrices } from './matrix/index.ts'

const elements = {
  'attention-toolbar': AttentionToolbar,
  'attention-strip': AttentionStrip,
  'attention-stage': AttentionStage,
  'attention-inspector': AttentionInspector,
  'attention-controls': AttentionControls,
  'attention-rules': AttentionRules,
  'attention-field': AttentionField,
  'attention-thumbnail': AttentionThumbnail,
}

/**
 * Defines the elements; a page that has them already keeps the ones it has. The
 * widget may be a class of the caller's that knows where its engine comes from.
 */
export function defineWidget(widget = AttentionPlayground) {
  defineMatrices()
  for (const [name, element] of Object.entries({ ...elements, 'attention-playground': widget })) {
    if (!customElements.get(name)) customElements.define(name, element)
  }
}

export { AttentionPlayground }
