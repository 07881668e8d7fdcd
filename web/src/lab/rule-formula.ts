// A rule of the mask as a formula, with the numbers that it was made with.

import formulas from 'virtual:formulas'
import type { TemplateResult } from 'lit'
import type { RuleNumbers } from './model/rules.ts'

/** When a query sees a key, by their positions: what the core's rule of that name says. */
export function formulaOf(mask: RuleNumbers): TemplateResult {
  const text = (amount: keyof RuleNumbers) => String(mask[amount] ?? '')
  const width = text('width')
  switch (mask.rule) {
    case 'causal':
      return formulas.causal({})
    case 'window':
      return mask.sinks ? formulas.windowWithSinks({ width, sinks: text('sinks') }) : formulas.window({ width })
    case 'prefix':
      return formulas.prefix({ length: text('length') })
    case 'documents':
      return formulas.documents({})
    case 'block-sparse': {
      const local = { blockSize: text('blockSize'), localBlocks: text('localBlocks') }
      return mask.globalStride
        ? formulas.blocks({ ...local, globalStride: text('globalStride') })
        : formulas.localBlocks(local)
    }
    case 'dilated':
      return formulas.dilated({ width, dilation: text('dilation') })
  }
}
