// The page: its widget gets its engine as it would in other people's pages; the page
// keeps the widget's state in its address.

import { loadAttention } from '../engine/index.ts'
import type { AttentionPlayground } from '../lab/index.ts'
import { defineSelfLoading } from '../self-loading.ts'

defineSelfLoading(
  () => loadAttention({ backend: 'wasm' }),
  () => loadAttention({ backend: 'webgpu', workers: 0 }),
)

/** Browsers refuse an address that changes many times a second. */
const restMs = 300

const widget = document.querySelector<AttentionPlayground>('attention-playground')
if (widget) {
  const address = `${location.origin}${location.pathname}`
  widget.address = address
  widget.link = location.search
  let waiting: ReturnType<typeof setTimeout> | undefined
  // Replaced, not added to the session's history: one Back leaves the page.
  widget.addEventListener('change', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => {
      history.replaceState(null, '', widget.link === '' ? address : `${address}?${widget.link}`)
    }, restMs)
  })
}
