// The widget for other people's pages: importing this module defines
// <attention-playground>. What it loads lies beside it and is addressed from it, so
// the folder can be copied to any place.

import { loadAttention } from './engine/index.ts'
import { defineSelfLoading } from './self-loading.ts'

defineSelfLoading(
  () => loadAttention({ backend: 'wasm' }),
  () => loadAttention({ backend: 'webgpu', workers: 0 }),
)
