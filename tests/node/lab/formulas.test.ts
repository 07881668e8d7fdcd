// The formulas as MathML, and the rules' formulas against the masks that the core makes.

import { type Attention, loadAttention } from 'attention-playground'
import { beforeAll, expect, test } from 'vitest'
import { indices, latex, rules } from '../../../web/src/lab/formulas.ts'
import { formulaModule, mathml } from '../../../web/vite.formulas.ts'

let attention: Attention
beforeAll(async () => {
  attention = await loadAttention({ workers: 0 })
})

test.each(Object.entries(latex))('%s is MathML that a strict content policy takes', (_name, text) => {
  const markup = mathml(text)
  expect(markup).toMatch(/^<math>.*<\/math>$/)
  expect(markup).not.toMatch(/ (?:style|class|href|on\w+)=|<merror|slot|word/)
  // Every tag is closed in order.
  const open: string[] = []
  for (const [, slash, tag] of markup.matchAll(/<(\/?)(\w+)[^>]*>/g)) {
    if (slash) expect(open.pop()).toBe(tag)
    else open.push(String(tag))
  }
  expect(open).toEqual([])
  const slots = Array.from(text.matchAll(/\\slot\{(\w+)\}/g), ([, slot]) => slot)
  expect(Array.from(markup.matchAll(/<mn>⟦(\w+)⟧<\/mn>/g), ([, slot]) => slot)).toEqual(slots)
  const words = Array.from(text.matchAll(/\\word\{(\w+)\}/g), ([, word]) => word)
  expect(Array.from(markup.matchAll(/<mtext>⟦(\w+)⟧<\/mtext>/g), ([, word]) => word)).toEqual(words)
})

test.each(Object.entries(indices))(
  'the indices of the formula of %s are those that are explained',
  (name, explained) => {
    const text = latex[name as keyof typeof indices]
    // What a matrix is called stands before the comma.
    const subscripts = Array.from(text.matchAll(/_\{?(?:[a-z],)?([a-z]+)/g), ([, letters = '']) => [...letters]).flat()
    const heads = Array.from(text.matchAll(/\^\{\((\w)\)\}/g), ([, letter = '']) => letter)
    const ofPair = name === 'dots' || name === 'weights' ? ['i', 'j'] : []
    expect(new Set([...subscripts, ...heads])).toEqual(new Set([...ofPair, ...explained]))
  },
)

test('a formula that is no LaTeX stops the build', () => {
  expect(() => mathml(String.raw`\frac{1}`)).toThrow()
  expect(() => formulaModule({ bad: String.raw`\notacommand` })).toThrow()
})

/** The predicate that a formula states, for these numbers in its slots. */
function predicateOf(text: string, slots: Record<string, number>): (query: number, key: number) => boolean {
  const code = text
    .replace(/\\slot\{(\w+)\}/g, (_, slot) => String(slots[slot]))
    .replace(/\\operatorname\{document\}\((\w+)\)/g, 'documents[$1]')
    .replace(/\\lfloor (.*?) \\rfloor/g, 'Math.floor($1)')
    .replaceAll(String.raw`\le`, '<=')
    .replaceAll(String.raw`\land`, '&&')
    .replaceAll(String.raw`\lor`, '||')
    .replaceAll(String.raw`\bmod`, '%')
    .replace(/(?<![<>=])=(?!=)/g, '===')
  if (code.includes('\\')) throw new Error(`not understood: ${code}`)
  return new Function('p_q', 'p_k', 'documents', `return ${code}`).bind(undefined) as never
}

const documents = [0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3]
const cases = [
  { formula: 'causal', mask: { rule: 'causal' } },
  { formula: 'window', mask: { rule: 'window', width: 3 } },
  { formula: 'windowWithSinks', mask: { rule: 'window', width: 3, sinks: 2 } },
  { formula: 'prefix', mask: { rule: 'prefix', length: 4 } },
  { formula: 'documents', mask: { rule: 'documents', documents } },
  { formula: 'localBlocks', mask: { rule: 'block-sparse', blockSize: 3, localBlocks: 2 } },
  { formula: 'blocks', mask: { rule: 'block-sparse', blockSize: 2, localBlocks: 1, globalStride: 3 } },
  { formula: 'dilated', mask: { rule: 'dilated', width: 7, dilation: 3 } },
] as const

test.each(cases)('$formula says what the core does', ({ formula, mask }) => {
  const count = documents.length
  const { allowed } = attention.mask({ ...mask, queries: count, keys: count })
  const sees = predicateOf(rules[formula], mask as never) as (q: number, k: number, d: readonly number[]) => boolean
  for (let query = 0; query < count; ++query) {
    for (let key = 0; key < count; ++key) {
      expect(sees(query, key, documents), `query ${query}, key ${key}`).toBe(allowed[query * count + key] === 1)
    }
  }
})

test('every rule has its case', () => {
  expect(cases.map(({ formula }) => formula)).toEqual(Object.keys(rules))
})
