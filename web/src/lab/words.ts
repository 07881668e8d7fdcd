// Every word that the widget shows, and nothing else. A translation is another
// file of this shape. Words go into the page as text, never as HTML.

import type { Settings } from './state.ts'

/** Keeps a token's own writing direction from reordering the sentence around it. */
const isolated = (token: string) => `\u2068${token}\u2069`
const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

const maskNames = { none: 'None', causal: 'Causal', window: 'Window', prefix: 'Prefix' }
const scaleNames = { one: '1', root: '1/√D' }

/** What a token is said to have done to be hidden, by the core's name of the rule. */
const hiddenSentences: Record<string, (key: string, settings: Settings) => string> = {
  causal: (key) => `the causal rule: ${isolated(key)} comes later`,
  'window-left': (key, { window }) => `the window of ${window}: ${isolated(key)} lies too far back`,
  'window-right': (key) => `the window: ${isolated(key)} lies too far ahead`,
  allowed: (key, { prefix }) => `the prefix rule: ${isolated(key)} comes later and is not among the first ${prefix}`,
  bias: () => 'a bias of −∞',
}

const hiddenNames: Record<string, string> = {
  causal: 'causal rule',
  'window-left': 'window',
  'window-right': 'window',
  allowed: 'prefix rule',
  bias: 'bias',
}

export const words = {
  sentence: 'Sentence, split on spaces',
  tokens: 'Tokens',
  queryHeads: 'Query heads',
  kvHeads: 'KV heads',
  headDim: 'Head dim D',
  mask: 'Mask',
  maskNames,
  window: 'Width',
  prefix: 'Length',
  scale: 'Scale',
  scaleNames,

  maskSays: ({ mask, window, prefix }: Settings) =>
    ({
      none: 'Every token sees every token.',
      causal: 'A token sees itself and what came before.',
      window: window === 1 ? 'A token sees only itself.' : `A token sees the last ${window}, itself among them.`,
      prefix: `All see the first ${prefix}; the rest is causal.`,
    })[mask],

  /** Where the numbers of the vectors come from. */
  origin: ({
    used,
    typed,
    madeUpWords,
    madeUpFeatures,
  }: {
    used: number
    typed: number
    madeUpWords: number
    madeUpFeatures: boolean
  }) => {
    const cut = used < typed ? `The first ${used} of ${typed} tokens are used. ` : ''
    if (used === 0) return cut
    if (madeUpWords === used) return `${cut}All vectors are made up, but a word always gets the same one.`
    const features = 'Features after the third'
    if (madeUpWords === 0 && !madeUpFeatures) return `${cut}All vectors are those of the worked example.`
    if (madeUpWords === 0)
      return `${cut}${features} are made up, but always the same; the first three are the worked example’s.`
    const strangers = `${madeUpWords} of the ${used} vectors`
    const what = madeUpFeatures ? `${strangers}, and features after the third,` : strangers
    return `${cut}${what} are made up, but a word always gets the same; the rest is the worked example’s.`
  },

  empty: 'No token yet: write a word, or move the slider.',

  headAlone: 'Attention weights',
  queryHead: (head: number) => `Query head ${head}`,
  reads: ' reads ',
  kvHead: (head: number) => `KV head ${head}`,
  queryAxis: 'query',
  keyAxis: 'key',
  hiddenCell: (reasons: readonly string[]) =>
    `hidden: ${reasons.map((reason) => hiddenNames[reason] ?? reason).join(' and ')}`,
  legend: 'Weight',
  legendHidden: (reasons: readonly string[]) =>
    `hidden by the ${reasons.map((reason) => hiddenNames[reason] ?? reason).join(' and the ')}`,

  cardEmpty: 'Point at a cell to see how its number comes about.',
  attendsTo: ' → ',
  cardSubtitle: ({ queryPosition, keyPosition }: { queryPosition: number; keyPosition: number }) =>
    `query at position ${queryPosition}, key at position ${keyPosition}`,
  stepDot: 'q · k',
  stepScale: '× scale',
  stepMask: 'mask',
  stepSoftmax: 'softmax',
  visible: 'visible',
  hidden: 'hidden',
  hiddenBy: (reasons: readonly string[], key: string, settings: Settings) =>
    `Hidden by ${reasons.map((reason) => hiddenSentences[reason]?.(key, settings) ?? reason).join(', and by ')}.`,
  hiddenScore: 'The score counts as −∞, so the weight is 0.',
  softmaxParts: ({ max, sum }: { max: string; sum: string }) =>
    `${max} is the row’s largest score, ${sum} the sum of the row’s exponentials.`,
  outputOf: 'Output: weights × values',
  outputRow: 'output',
  madeUp: 'made up',

  vectors: 'The tokens’ vectors',
  vectorsToken: 'token',
  vectorsHead: (head: number) => `head ${head}`,
  vectorsSay: (shared: boolean) =>
    shared ? 'Each is split into queries; its first part is keys and values too.' : 'Query, key and value at once.',
  vectorsMadeUp: 'In italics: made up.',

  /** Said once to a screen reader after a change. */
  announce: ({ tokens, queryHeads, kvHeads, headDim, mask, scale }: Settings) =>
    `${counted(tokens.length, 'token', 'tokens')}, ${counted(queryHeads, 'query head', 'query heads')}, ` +
    `${counted(kvHeads, 'KV head', 'KV heads')}, head dimension ${headDim}, mask ${maskNames[mask]}, ` +
    `scale ${scaleNames[scale]}.`,
}
