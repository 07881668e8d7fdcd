// All that the widget says, in English. A translation is one such file: the parts of
// the widget take their words from here and have none of their own.

import { typeset } from './format.ts'
import type { Axis, StageName } from './model/stage.ts'
import type { State } from './model/state.ts'

// What the rules that hide a pair are called: those of the lab, and those that the core
// names itself.
const ruleNames: Readonly<Record<string, string>> = {
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

const ruleName = (rule: string) => ruleNames[rule] ?? rule

/** In a sentence. */
const theRule = (rule: string) => (rule === 'painted' || rule === 'padding' ? ruleName(rule) : `the ${ruleName(rule)}`)

/** A number with a minus sign, which is no hyphen. */
const signed = (value: number) => typeset(String(value))

const listed = (names: readonly string[]) =>
  names.length > 2 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join(' and ')

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

// The names of the fields of the state, and of what they can be.
export const stateWords = {
  text: 'Sentence, split on spaces',
  keys: 'Tokens (keys S)',
  queries: 'Queries T',
  positions: 'Positions',
  positionNames: {
    training: 'Training',
    decoding: 'Cached decoding',
    prefill: 'Chunked prefill',
    ragged: 'Ragged batch',
    padding: 'Left padding',
    own: 'Own positions',
  },
  step: 'Step',
  chunkStart: 'Cached before',
  chunkSize: 'Chunk',
  shorter: 'Second sequence',
  queryPositions: 'Query positions',
  keyPositions: 'Key positions',
  queryHeads: 'Query heads',
  kvHeads: 'KV heads',
  headDim: 'Head dim D',
  valueDim: 'Value dim Dv',
  features: 'Features M',
  scale: 'Scale',
  scaleNames: { one: '1', root: '1/√D', own: 'own' },
  ownScale: 'Own scale',
  softcap: 'Softcap (0: none)',
  seed: 'Seed',
  preset: 'Vectors and weights',
  presetNames: {
    example: 'Words’ vectors',
    previous: 'Previous token',
    first: 'First token',
    same: 'Same token',
  },
  weightNames: { identity: 'Identity', zero: 'Zero', random: 'Random' },
  vectorNames: { words: 'Words’ own', identity: 'Identity', zero: 'Zero', random: 'Random' },
  x: 'Tokens x',
  wq: 'Wq',
  wk: 'Wk',
  wv: 'Wv',
  wo: 'Wo',
  xEdits: 'Edited vectors',
  wqEdits: 'Edited Wq',
  wkEdits: 'Edited Wk',
  wvEdits: 'Edited Wv',
  woEdits: 'Edited Wo',
  causal: 'Causal',
  window: 'Sliding window',
  windowWidth: 'Width',
  sinks: 'Sinks',
  prefix: 'Prefix',
  prefixLength: 'Length',
  documents: 'Documents',
  documentLengths: 'Lengths',
  blocks: 'Block-sparse',
  blockSize: 'Block size',
  localBlocks: 'Local blocks',
  globalStride: 'Global stride',
  dilated: 'Dilated',
  dilatedWidth: 'Reach',
  dilation: 'Dilation',
  painted: 'Painted by hand',
  paintedCells: 'Hidden cells',
  stage: 'Stage',
  stageNames: {
    x: 'x',
    context: 'context',
    wq: 'Wq',
    wk: 'Wk',
    wv: 'Wv',
    wo: 'Wo',
    q: 'q',
    k: 'k',
    v: 'v',
    dots: 'q·k',
    scores: 'scores',
    capped: 'softcap',
    masked: 'mask',
    weights: 'softmax',
    mixed: '· v',
    merged: 'heads merged',
    output: 'output',
  },
  sequence: 'Sequence',
  head: 'Query head',
  heads: 'Heads',
  headsNames: { all: 'All', one: 'One' },
  weightsBy: 'Weights by',
  engineNames: { wasm: 'WebAssembly', webgpu: 'WebGPU' },
  cell: 'Cell',
  locked: 'Locked',
} as const

// What a field takes, in the words of the sentence that refuses something else.
export const fieldWords = {
  text: 'a text',
  flag: '0 or 1',
  count: (least: number, most: number) => `a whole number from ${least} to ${most}`,
  number: (least: number, most: number) => `a number from ${signed(least)} to ${signed(most)}`,
  choice: (names: readonly string[]) => `one of ${names.join(', ')}`,
  list: (least: number, most: number, length?: number) =>
    `${length === undefined ? '' : `${length} `}whole numbers from ${signed(least)} to ${signed(most)} with commas between them`,
  pairs: 'cells such as 2.0,3.1',
  edits: 'cells and their numbers, such as 2.0:0.5,3.1:-1',
  refused: (key: string, expects: string, got: string, outcome: string) =>
    `“${key}” takes ${expects}, not “${got}”; ${outcome}.`,
  leftOut: 'it was left out',
  kept: 'the former value was kept',
  notDivisor: (key: string, got: number, queryHeads: number, used: number) =>
    `“${key}” has to divide the ${queryHeads} query heads, and ${got} does not; it is ${used} here.`,
  beyond: (key: string, expects: string, got: string, used: string) =>
    `“${key}” takes ${expects} here, not “${got}”; it is ${used}.`,
  cell: (rows: number, columns: number) => `a row from 0 to ${rows - 1} and a column from 0 to ${columns - 1}`,
  positions: (key: string, count: number, got: number) =>
    `“${key}” takes ${counted(count, 'position', 'positions')} here, not ${got}; ${
      got < count ? 'they go on from the last one' : 'the rest is left out'
    }.`,
  outside: (key: string, rows: number, columns: number, cells: readonly string[]) => {
    const others = cells.length > 1 ? ` and ${counted(cells.length - 1, 'other', 'others')}; they were` : '; it was'
    return `“${key}” takes cells of ${counted(rows, 'row', 'rows')} and ${counted(columns, 'column', 'columns')} here, not “${cells[0]}”${others} left out.`
  },
  tooManyTokens: (key: string, got: number, most: number) =>
    `“${key}” takes at most ${most} tokens, not ${got}; the rest is left out.`,
  twice: (key: string) => `“${key}” stands more than once; only the last one is read.`,
  encoding: (part: string) => `“${part}” is not encoded as an address has to be; some of its letters may be others.`,
  unknown: (key: string) => `There is nothing named “${key}”; it was left out.`,
}

// The words of the widget in a page that is not its own.
export const embedWords = {
  notLoaded: (error: unknown) => `The core could not be loaded: ${error}`,
  otherVersion: (element: string, present: string | undefined, own: string) =>
    `<${element}> is defined on this page already, by version ${present ?? 'unknown'}; version ${own} is left out.`,
} as const

// The words of the exports.
export const exportWords = {
  export: 'Export',
  formats: {
    svg: 'Picture (SVG)',
    png: 'Picture (PNG)',
    csv: 'Stage as CSV',
    npy: 'Stage for NumPy (.npy)',
    npz: 'All stages for NumPy (.npz)',
    numpy: 'Program in NumPy',
    pytorch: 'Program in PyTorch',
    cpp: 'Program in C++',
  },
  noPicture: (width: number, height: number) =>
    `The browser made no picture of a canvas of ${width} × ${height} pixels.`,
} as const

// The words of a drawn matrix, its legend and its lens.
/** What a row or a column of a matrix stands for. */
export type LabelKind = 'query' | 'key' | 'value' | 'token' | 'feature'

const kinds: Readonly<Record<LabelKind, string>> = {
  query: 'query',
  key: 'key',
  value: 'value',
  token: 'token',
  feature: 'feature',
}

export const matrixWords = {
  kind: (kind: LabelKind) => kinds[kind],
  hidden: (names: readonly string[]) => `hidden: ${listed(names.map(ruleName))}`,
  notANumber: 'not a number',
  infinite: (value: number) => (value < 0 ? 'minus infinity' : 'infinity'),
  empty: (rows: number, columns: number) => `Nothing to draw: ${rows} × ${columns}.`,
  /** Where the lens or an editor stands. */
  at: (row: string, column: string) => `row ${row}, column ${column}`,
  keys: 'Arrow keys move from cell to cell.',
  keysEditing: 'Arrow keys move from cell to cell, Enter edits.',
  keysPainting: 'Arrow keys move from cell to cell, Space hides or shows.',
  averaged: (count: number) => `Each pixel is the mean of ${count} × ${count} values; the lens shows them one by one.`,
  schematic: (name: string, rows: string, columns: string) =>
    `${name}: ${rows} by ${columns}, too many to draw one by one.`,
  schematicNote: (rows: number, columns: number) => `${rows} × ${columns} are too many to draw one by one.`,
  schematicShows: 'This is the shape, and tinted what is visible.',
  notHeld:
    'With all heads there are too many pairs to hold at once: the output was computed without ever having them all.',
  /** Above the sums of the rows. */
  rowSum: 'sum',
  notInTable: 'number in the card',
  noPicture: 'This is too large to be saved as a picture.',
  axis: (axis: Axis, size: number) => `${axis} = ${size}`,
  refusals: {
    empty: 'Type a number, or press Escape.',
    word: 'This is not a number. Write it like 0.5 or −1.25.',
    comma: 'This could be one or a thousand. Write 1.0 or 1000.',
    large: 'This is too large for a 32-bit number.',
  },

  /** Between a legend's two numbers, for those who don't see the colours. */
  legendTo: 'to',
  /** The end of a ramp that larger numbers share. */
  legendOpen: (end: string) => `${end} or more`,
  legendHidden: (name: string) => `hidden: ${ruleName(name)}`,
  legendNotANumber: 'not a number',
  legendInfinite: 'infinite',

  queryHead: (head: number) => `Query head ${head}`,
  kvHead: (head: number) => `KV head ${head}`,
  reads: ' reads ',
  showAlone: 'Show this head alone',
  showAll: 'Show all heads',
} satisfies Record<string, unknown>

// The words of the widget around its matrices.
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
  seedSays: 'The seed is that of random vectors and weights, and of the vectors of words that have none of their own.',
  handMade: 'These vectors and weights are made by hand to show one pattern; a trained model’s are not so tidy.',
  typed: (label: string) => `${label}, as a number`,
  sliderEnds: (most: number) => `Up to ${most} if typed.`,
  notPermitted: (value: number, counts: readonly number[]) =>
    counts.length <= 8
      ? `${value} cannot be; it can be ${counts.join(', ')}.`
      : `${value} cannot be; it can be ${counts[0]} to ${counts.at(-1)}.`,

  ruleName,
  ruleSays: {
    causal: () => 'A token sees itself and what came before.',
    window: ({ windowWidth, sinks }: State) =>
      `A token sees the last ${windowWidth}, itself among them${sinks > 0 ? `, and the first ${sinks}` : ''}.`,
    prefix: ({ prefixLength, prefix, causal }: State) =>
      `All see the first ${prefixLength}; the rest is causal.${
        prefix && causal ? ' The causal rule is on as well, and hides what follows all the same.' : ''
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
    painted: ({ painted }: State) =>
      `Nobody sees what is painted over${painted ? ': drag over the mask stage, or press Space on a cell' : ''}.`,
    padding: () => 'Nobody sees padding, and it sees nothing.',
  } as Readonly<Record<string, (state: State) => string>>,
  changedTo: (label: string, value: string) => `${label}: ${value}`,
  on: 'on',
  off: 'off',
  follows: 'as many as there are',
  cellCount: (count: number) => counted(count, 'cell', 'cells'),
  unpaint: 'Wipe the paint off',
  noRule: 'No rule: every token sees every token.',
  conjunction: 'All that are on hold at once.',
  shownForFew: (tokens: number) => `Rules that are off are drawn as for ${tokens} tokens.`,

  queryHead: (head: number) => `query head ${head}`,
  kvHead: (head: number) => `KV head ${head}`,
  ofSequence: (sequence: number) => `sequence ${sequence}`,
  readsKvHead: (head: number) => ` reading KV head ${head}`,
  atPositions: (query: number, key: number) => `; query i at position ${signed(query)}, key j at ${signed(key)}`,
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
  /** Below a formula: what its indices stand for. */
  indices: {
    i: 'query',
    j: 'key',
    d: 'head’s feature',
    e: 'token’s feature',
    f: 'merged heads’ column',
    h: 'head',
    l: 'any key',
  },
  /** Beside the formula of the mask. */
  whereHidden: 'where hidden',
  hiddenBy: (names: readonly string[]) =>
    `Hidden by ${listed(names.map(theRule))}: the score counts as −∞, so the weight is 0.`,
  hiddenWeight: '0, since hidden',
  emptyWeight: '0, since every score is −∞',
  emptyRow: 'No key counts for this query: every score is −∞, so all of its weights are 0.',
  emptySum: 'No key counts for this query: there is no term, and the sum is 0.',
  /** Of a key that is visible, and doesn't count nevertheless. */
  noScore: 'score −∞',
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
  editsReplaced: (lost: readonly (readonly [count: number, matrix: string])[]) => {
    const cells = lost.map(([count, matrix]) => `${counted(count, 'edited cell', 'edited cells')} of ${matrix}`)
    const one = lost.length === 1 && lost[0]?.[0] === 1
    return `${listed(cells)} ${one ? 'was' : 'were'} replaced; Undo brings ${one ? 'it' : 'them'} back.`
  },
  savedInFrame:
    'If no file was saved, the page that holds this frame does not allow it: its sandbox needs allow-downloads.',
  computing: 'Computing…',
  /** While the numbers are those that were recorded, and the engine is on its way. */
  recorded: 'Recorded from the core, which is being loaded…',
  loading: 'The core is being loaded…',
  empty: 'No token yet: write a word, or move the slider.',
  cachedSame: 'Cached and full results are the same to the last bit.',
  cachedDiffers: (count: number, seesLater: boolean) =>
    `Cached and full results differ in ${counted(count, 'number', 'numbers')}${
      seesLater ? ': in the whole this token sees later ones, which no cache has yet' : ''
    }.`,
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
      : `; weights by WebGPU${adapter ? ` (${adapter})` : ''}, which differ by at most ${typeset(difference.toExponential(0))}`,

  noWeights: (why: string) => `; no weights by WebGPU: ${why}`,

  /** Said once to a screen reader after a change: what was changed, and how things stand. */
  announce: (state: State, changed: readonly string[], rules: readonly string[]) => {
    const { keys, queryHeads, headDim, scale, ownScale, preset, stage } = state
    const scales = { one: '1', root: '1 over the square root of D', own: signed(ownScale) }
    const changes = changed.length > 0 && changed.length <= 3 ? `${changed.join('; ')}. ` : ''
    return (
      `${changes}${counted(keys, 'token', 'tokens')}, ${counted(queryHeads, 'query head', 'query heads')} of ${headDim}, ` +
      `scale ${scales[scale]}, ${stateWords.presetNames[preset]}, ` +
      `${rules.length === 0 ? 'no mask' : `masked by ${listed(rules.map(theRule))}`}, stage ${stageTitles[stage]}.`
    )
  },
} as const
