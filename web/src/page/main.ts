// The page: gives its widget the core, or says why there is none.

import { AttentionError, loadAttention } from '../engine/index.ts'
import { type AttentionPlayground, defineWidget } from '../lab/index.ts'

defineWidget()
const widget = document.querySelector<AttentionPlayground>('attention-playground')

if (widget) {
  try {
    widget.engine = await loadAttention()
  } catch (error) {
    widget.failure = error instanceof AttentionError ? error.message : `The core could not be loaded: ${error}`
  }
}
