// The built package's engine, as the lab's sources name its type: classes with private
// parts are never the same to TypeScript, even where they are to everyone else.

import { loadAttention } from 'attention-playground'
import type { Attention } from '../../../../web/src/engine/index.ts'

export const loadEngine = async ({ workers = 0 } = {}) => (await loadAttention({ workers })) as unknown as Attention
