// What the rules that hide a pair are called: those of the lab, and those that the core
// names itself.

const names: Readonly<Record<string, string>> = {
  causal: 'causal rule',
  window: 'sliding window',
  prefix: 'prefix rule',
  documents: 'document border',
  blocks: 'block-sparse rule',
  dilated: 'dilated window',
  painted: 'paint',
  padding: 'padding',
  'window-left': 'window',
  'window-right': 'window ahead',
  allowed: 'allowed list',
  bias: 'bias',
}

export const ruleName = (rule: string) => names[rule] ?? rule

/** In a sentence. */
export const theRule = (rule: string) =>
  rule === 'painted' || rule === 'padding' ? ruleName(rule) : `the ${ruleName(rule)}`
