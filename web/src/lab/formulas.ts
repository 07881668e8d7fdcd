// The formulas that the widget shows, in LaTeX. The build makes MathML of them
// (web/vite.formulas.ts), so that nothing that reads LaTeX ships. \slot{name} is a
// place for a number and \word{name} one for words. Each is about one cell; what an index
// stands for is the same in all of them: i is a query, j a key, l any key, d a feature of
// a head, e one of a token, f one of the merged heads.

import { css } from 'lit'

const stages = {
  q: String.raw`q_{id} = \textstyle\sum\limits_e x_{ie}\,W_{q,de}`,
  k: String.raw`k_{jd} = \textstyle\sum\limits_e x_{je}\,W_{k,de}`,
  v: String.raw`v_{jd} = \textstyle\sum\limits_e x_{je}\,W_{v,de}`,
  kOfContext: String.raw`k_{jd} = \textstyle\sum\limits_e c_{je}\,W_{k,de}`,
  vOfContext: String.raw`v_{jd} = \textstyle\sum\limits_e c_{je}\,W_{v,de}`,
  dots: String.raw`q_i \cdot k_j = \textstyle\sum\limits_d q_{id}\,k_{jd}`,
  scores: String.raw`s_{ij} = \text{scale} \cdot (q_i \cdot k_j)`,
  capped: String.raw`s_{ij} \leftarrow c\,\tanh(s_{ij} / c)`,
  masked: String.raw`s_{ij} \leftarrow -\infty \quad \word{whereHidden}`,
  weights: String.raw`w_{ij} = \dfrac{e^{s_{ij} - m_i}}{\sum_{l} e^{s_{il} - m_i}}, \quad m_i = \max\limits_{l}\, s_{il}`,
  mixed: String.raw`o_{id} = \textstyle\sum\limits_j w_{ij}\,v_{jd}`,
  merged: String.raw`o_{if} = o_{id}^{(h)}, \quad f = h\,D_{\mathrm{v}} + d`,
  output: String.raw`y_{ie} = \textstyle\sum\limits_f o_{if}\,W_{o,ef}`,
  rootScale: String.raw`\text{scale} = \dfrac{1}{\sqrt{D}} = \dfrac{1}{\sqrt{\slot{headDim}}}`,
  kvHead: String.raw`\text{KV head} = \left\lfloor \dfrac{h}{H_q / H_{\mathrm{kv}}} \right\rfloor = \left\lfloor \dfrac{\slot{head}}{\slot{queryHeads} / \slot{kvHeads}} \right\rfloor = \slot{kvHead}`,
} as const

/** The indices in a stage's formula, in the order in which they come; a pair's card names its i and j anyway. */
export const indices = {
  q: ['i', 'd', 'e'],
  k: ['j', 'd', 'e'],
  v: ['j', 'd', 'e'],
  dots: ['d'],
  weights: ['l'],
  mixed: ['i', 'd', 'j'],
  merged: ['i', 'f', 'd', 'h'],
  output: ['i', 'e', 'f'],
} as const

/** Steps with their numbers in place; a negative number that follows an operator comes in brackets. */
const filled = {
  firstProduct: String.raw`\slot{left} \cdot \slot{right}`,
  nextProduct: String.raw`{} + \slot{left} \cdot \slot{right}`,
  moreProducts: String.raw`{} + \cdots`,
  sumIs: String.raw`{} = \slot{sum}`,
  scoreOf: String.raw`\slot{scale} \times \slot{dot} = \slot{score}`,
  cappedOf: String.raw`\slot{cap} \times \tanh(\slot{score} / \slot{cap}) = \slot{capped}`,
  maskedOf: String.raw`\slot{score} \;\to\; \slot{masked}`,
  weightOf: String.raw`\dfrac{e^{\slot{score} - \slot{largest}}}{\slot{sum}} = \slot{weight}`,
  emptyRow: String.raw`m_i = \slot{largest} \;\to\; w_{ij} = \slot{weight}`,
  emptySum: String.raw`o_{id} = \slot{sum}`,
  mergedOf: String.raw`o_{i,\slot{column}} = o_{i,\slot{feature}}^{(\slot{head})} = \slot{value}`,
} as const

/** When the query at position p_q sees the key at position p_k (cpp/include/attention/predicate.hpp). */
export const rules = {
  causal: String.raw`p_k \le p_q`,
  window: String.raw`p_k \le p_q \land p_q - p_k < \slot{width}`,
  windowWithSinks: String.raw`p_k \le p_q \land (p_q - p_k < \slot{width} \lor p_k < \slot{sinks})`,
  prefix: String.raw`p_k \le p_q \lor p_k < \slot{length}`,
  documents: String.raw`\operatorname{document}(p_q) = \operatorname{document}(p_k)`,
  localBlocks: String.raw`p_k \le p_q \land \lfloor p_q / \slot{blockSize} \rfloor - \lfloor p_k / \slot{blockSize} \rfloor < \slot{localBlocks}`,
  blocks: String.raw`p_k \le p_q \land (\lfloor p_q / \slot{blockSize} \rfloor - \lfloor p_k / \slot{blockSize} \rfloor < \slot{localBlocks} \lor (\lfloor p_k / \slot{blockSize} \rfloor + 1) \bmod \slot{globalStride} = 0)`,
  dilated: String.raw`p_k \le p_q \land p_q - p_k < \slot{width} \land (p_q - p_k) \bmod \slot{dilation} = 0`,
} as const

export const latex = { ...stages, ...filled, ...rules } as const

export type FormulaName = keyof typeof latex

type Named<Text, Kind extends string> = Text extends `${string}\\${Kind}{${infer Name}}${infer Rest}`
  ? Name | Named<Rest, Kind>
  : never

type SlotsIn<Text> = Named<Text, 'slot'> | Named<Text, 'word'>

/** The numbers, as text, and the words that a formula has places for. */
export type Slots<Name extends FormulaName> = Readonly<Record<SlotsIn<(typeof latex)[Name]>, string>>

/** For a shadow root that shows formulas: MathML's own layout, and slots that don't jump. */
export const formulaStyles = css`
  math {
    font-size: 1.0625em;
    font-variant-numeric: tabular-nums;
  }
`
