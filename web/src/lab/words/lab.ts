// The words of the widget around its matrices.

import type { StageName } from '../model/stage.ts'
import type { State } from '../model/state.ts'
import { ruleName, theRule } from './rules.ts'
import { stateWords } from './state.ts'

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`
const listed = (names: readonly string[]) => names.join(' and ')

const stageTitles: Readonly<Record<StageName, string>> = {
  x: 'Tokens x',
  context: 'Context',
  wq: 'Wq',
  wk: 'Wk',
  wv: 'Wv',
  wo: 'Wo',
  q: 'Queries q',
  k: 'Keys k',
  v: 'Values v',
  dots: 'q·k',
  scores: 'Scores',
  capped: 'Capped scores',
  masked: 'Masked scores',
  weights: 'Weights',
  mixed: 'Weights · v',
  merged: 'Heads merged',
  output: 'Output',
}

export const labWords = {
  title: 'A layer of attention',
  stages: 'Stages of the computation',
  stageTitles,
  /** What is written on the button comes first, for those who say it aloud. */
  stageButton: (written: string, title: string, axes: readonly string[], shape: readonly number[]) =>
    `${written}: ${title}, ${axes.map((axis, index) => `${axis} ${shape[index]}`).join(', ')}`,
  turned: ' ᵀ',
  /** Under what a stage's matrix is: how its factors make it. */
  makes: {
    q: 'q = x · Wqᵀ',
    k: 'k = x · Wkᵀ',
    v: 'v = x · Wvᵀ',
    dots: 'q·kᵀ: row of q times column of kᵀ',
    mixed: 'weights · v: each row mixes the rows of v',
    output: 'heads · Woᵀ',
  } as Partial<Record<StageName, string>>,
  /** The stages whose numbers are a person's to change. */
  editable: new Set<StageName>(['x', 'context', 'wq', 'wk', 'wv', 'wo']),

  groups: {
    tokens: 'Tokens',
    positions: 'Request',
    heads: 'Heads',
    scores: 'Scores',
    numbers: 'Vectors and weights',
    mask: 'Mask',
  },
  handMade: 'These vectors and weights are made by hand to show one pattern; a trained model’s are not so tidy.',
  typed: (label: string) => `${label}, as a number`,
  notPermitted: (value: number, counts: readonly number[]) =>
    counts.length <= 8
      ? `${value} cannot be; it can be ${counts.join(', ')}.`
      : `${value} cannot be; it can be ${counts[0]} to ${counts.at(-1)}.`,

  ruleName,
  ruleSays: {
    causal: () => 'A token sees itself and what came before.',
    window: ({ windowWidth, sinks }: State) =>
      `A token sees the last ${windowWidth}, itself among them${sinks > 0 ? `, and the first ${sinks}` : ''}.`,
    prefix: ({ prefixLength, causal }: State) =>
      `All see the first ${prefixLength}; the rest is causal.${
        causal ? ' The causal rule is on as well, and hides what follows all the same.' : ''
      }`,
    documents: ({ documentLengths }: State) =>
      `A token sees its own document only. ${
        documentLengths.length === 0
          ? 'No length is given: all are one document.'
          : `Documents have ${documentLengths.join(', ')} tokens; what is left over belongs to the last.`
      } In the code, documents has the number of each position’s document.`,
    blocks: ({ localBlocks, globalStride }: State) =>
      `A token sees ${localBlocks === 1 ? 'its own block' : `the last ${localBlocks} blocks, its own among them`}${
        globalStride > 0 ? `, and of those before one in every ${globalStride}` : ''
      }.`,
    dilated: ({ dilation, dilatedWidth }: State) =>
      `A token sees itself and one in every ${dilation} positions back, within ${dilatedWidth}.`,
    painted: () => 'Drag over the mask stage, or press Space on a cell.',
    padding: () => 'Nobody sees padding, and it sees nothing.',
  } as Readonly<Record<string, (state: State) => string>>,
  changedTo: (label: string, value: string) => `${label}: ${value}`,
  on: 'on',
  off: 'off',
  follows: 'as many as there are',
  cellCount: (count: number) => counted(count, 'cell', 'cells'),
  unpaint: 'Wipe the paint off',
  noRule: 'No rule: every token sees every token.',
  conjunction: 'All of these hold at once.',

  queryHead: (head: number) => `query head ${head}`,
  kvHead: (head: number) => `KV head ${head}`,
  readsKvHead: (head: number) => ` reading KV head ${head}`,
  atPositions: (query: number, key: number) => `; query at position ${query}, key at ${key}`,
  feature: (axis: string, index: number) => `${axis} ${index}`,
  cardEmpty: 'Point at a cell to see how its number comes about.',
  lockNote: 'A click keeps this cell; Escape lets it go.',
  lockedNote: 'Kept. Escape lets it go.',
  stepDot: 'q · k',
  stepScale: '× scale',
  stepSoftcap: 'softcap',
  stepMask: 'mask',
  stepSoftmax: 'softmax',
  sumOf: (count: number) => `sum of ${counted(count, 'product', 'products')}`,
  sum: 'sum',
  soFar: 'so far',
  terms: 'Term by term',
  visible: 'visible',
  hidden: 'hidden',
  hiddenBy: (names: readonly string[]) =>
    `Hidden by ${listed(names.map(theRule))}: the score counts as −∞, so the weight is 0.`,
  hiddenWeight: '0, since hidden',
  rowSum: 'The sum of the exponentials, key by key',
  softmaxParts: (max: string, exponential: string, sum: string) =>
    `${max} is the row’s largest score, the exponential is ${exponential}, and ${sum} the sum of the row’s exponentials.`,
  given: (editable: boolean) =>
    editable ? 'is given. Double-click the cell, or press Enter on it, to change it.' : 'is given.',
  moved: 'is moved here from its head, and stays as it was.',

  tools: 'Tools',
  undo: 'Undo',
  redo: 'Redo',
  reset: 'Reset',
  share: 'Copy link',
  shareTag: 'Copy tag',
  shared: 'Copied.',
  notShared: 'The browser did not let this be copied; here it is:',
  computing: 'Computing…',
  /** While the numbers are those that were recorded, and the engine is on its way. */
  recorded: 'Recorded from the core, which is being loaded…',
  empty: 'No token yet: write a word, or move the slider.',
  cachedSame: 'Cached and full results are the same to the last bit.',
  cachedNot: 'A KV cache holds the causal rule and a plain window; with these rules nothing is compared.',
  cachedDiffers: (count: number) => `Cached and full results differ in ${counted(count, 'number', 'numbers')}.`,
  computedBy: (simd: string) =>
    `Computed by WebAssembly, ${{ relaxed: 'relaxed SIMD', simd: 'SIMD', scalar: 'scalar' }[simd] ?? simd}`,
  /** Who computed the weights that are shown, where another engine was asked. */
  weightsFrom: ({
    backend,
    adapter,
    why,
    difference,
  }: {
    backend: 'wasm' | 'webgpu'
    adapter: string | undefined
    why: string | undefined
    difference: number
  }) =>
    backend === 'wasm'
      ? `, the weights too: ${why ?? ''}`
      : `; weights by WebGPU${adapter ? ` (${adapter})` : ''}, which differ by at most ${difference.toExponential(0).replace('-', '−')}`,

  noWeights: (why: string) => `; no weights by WebGPU: ${why}`,

  /** Said once to a screen reader after a change: what was changed, and how things stand. */
  announce: (state: State, changed: readonly string[], rules: readonly string[]) => {
    const { keys, queryHeads, headDim, scale, ownScale, preset, stage } = state
    const scales = { one: '1', root: '1 over the square root of D', own: String(ownScale) }
    const changes = changed.length > 0 && changed.length <= 3 ? `${changed.join('; ')}. ` : ''
    return (
      `${changes}${counted(keys, 'token', 'tokens')}, ${counted(queryHeads, 'query head', 'query heads')} of ${headDim}, ` +
      `scale ${scales[scale]}, ${stateWords.presetNames[preset]}, ` +
      `${rules.length === 0 ? 'no mask' : `masked by ${listed(rules.map(theRule))}`}, stage ${stageTitles[stage]}.`
    )
  },
} as const
