// Every control changes what it says, and the numbers follow from the vectors shown.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { causal, expectedWeights } from './support/expected.ts'
import {
  captions,
  card,
  cell,
  cells,
  choose,
  columns,
  heatmap,
  slider,
  step,
  vectors,
  write,
} from './support/playground.ts'
import { useSite } from './support/site.ts'

const open = useSite()

/** Holds all heads against the double-precision weights of the vectors on the page. */
async function expectRightWeights(page: Page, { kvHeads = 1, scale = 1, sees = causal } = {}) {
  const queryHeads = await page.locator('attention-heatmap').count()
  const question = { vectors: await vectors(page), queryHeads, kvHeads, scale, sees }
  for (let head = 0; head < queryHeads; ++head) {
    const shown = (await cells(page, head)).map((row) => row.map((text) => text.replace(/^hidden.*/, 'hidden')))
    expect(shown, `head ${head}`).toEqual(expectedWeights(question, head))
  }
}

test('tokens: the table grows with words that the sentence goes on with, and shrinks', async () => {
  const page = await open()
  await step(page, 'Tokens', 2)
  expect(await columns(page)).toEqual(['Your', 'journey', 'starts', 'with', 'one', 'step', 'and', 'then'])
  expect(await page.getByRole('textbox').inputValue()).toBe('Your journey starts with one step and then')
  expect(await page.locator('#origin').textContent()).toContain('2 of the 8 vectors are made up')
  await expectRightWeights(page)
  await step(page, 'Tokens', -5)
  expect(await columns(page)).toEqual(['Your', 'journey', 'starts'])
  expect(await page.locator('#origin').textContent()).toContain('The first 3 of 8 tokens are used.')
  await expectRightWeights(page)
})

test('query heads: one heatmap for each', async () => {
  const page = await open()
  await step(page, 'Query heads', 3)
  expect(await captions(page)).toEqual([
    'Query head 0 reads KV head 0',
    'Query head 1 reads KV head 1',
    'Query head 2 reads KV head 2',
    'Query head 3 reads KV head 3',
  ])
  expect((await cells(page))[1]?.slice(0, 2)).toEqual(['0.368', '0.632'])
  await expectRightWeights(page, { kvHeads: 4 })
})

test('KV heads: only divisors, and the map from query to KV head is the one computed with', async () => {
  const page = await open()
  await step(page, 'Query heads', 5)
  const counts: (string | null)[] = []
  for (let i = 0; i < 4; ++i) {
    counts.push(await slider(page, 'KV heads').getAttribute('aria-valuetext'))
    await step(page, 'KV heads', -1)
  }
  expect(counts).toEqual(['6', '3', '2', '1'])
  await step(page, 'KV heads', 1)
  expect(await captions(page)).toEqual([0, 0, 0, 1, 1, 1].map((kv, head) => `Query head ${head} reads KV head ${kv}`))
  await expectRightWeights(page, { kvHeads: 2 })
  await cell(page, 1, 0, 4).hover()
  expect(await page.locator('attention-card .where').textContent()).toContain('Query head 4, KV head 1')
  await step(page, 'Query heads', -1)
  expect(await slider(page, 'KV heads').getAttribute('aria-valuetext')).toBe('1')
})

test('with one query head there is one KV head to choose', async () => {
  const page = await open()
  expect(await slider(page, 'KV heads').isDisabled()).toBe(true)
})

test('head dim: as many features, terms and output values', async () => {
  const page = await open()
  await step(page, 'Head dim D', 2)
  expect((await vectors(page)).map((row) => row.length)).toEqual([5, 5, 5, 5, 5, 5])
  await cell(page, 2, 1).hover()
  const { dot, output } = await card(page)
  expect(dot.work?.split('+')).toHaveLength(5)
  expect(output).toHaveLength(5)
  expect(await page.locator('#origin').textContent()).toContain('Features after the third are made up')
  await expectRightWeights(page)
  await step(page, 'Head dim D', -4)
  expect((await vectors(page))[0]).toEqual([0.43])
  await expectRightWeights(page)
})

test('scale: 1/√D divides the scores', async () => {
  const page = await open()
  await choose(page, '1/√D')
  const { scale } = await card(page)
  expect(scale).toEqual({ work: '0.9544 × 0.5774', result: '0.5510' })
  await expectRightWeights(page, { scale: 1 / Math.sqrt(3) })
})

test('no mask: every cell has a weight', async () => {
  const page = await open()
  await choose(page, 'None')
  await expectRightWeights(page, { sees: () => true })
  expect(await page.locator('.legend').textContent()).not.toContain('hidden')
})

test('window-size: drawing, words and numbers agree', async () => {
  const page = await open()
  await choose(page, 'Window')
  await step(page, 'Width', -1)
  expect(await page.locator('.says').textContent()).toBe('A token sees the last 2, itself among them.')
  await expectRightWeights(page, { sees: (query, key) => key <= query && query - key < 2 })
  expect((await cells(page))[3]?.slice(0, 2)).toEqual(['hidden: window', 'hidden: window'])
  await cell(page, 3, 1).hover()
  const { mask, softmax, note } = await card(page)
  expect([mask, softmax.result]).toEqual([{ work: 'hidden', result: '−∞' }, '0.0000'])
  expect(note).toContain('the window of 2: \u2068journey\u2069 lies too far back')
  expect(await page.locator('.legend').textContent()).toContain('hidden by the window')
})

test('a window is never wider than the sentence', async () => {
  const page = await open()
  await choose(page, 'Window')
  await slider(page, 'Width').press('End')
  expect(await slider(page, 'Width').getAttribute('aria-valuetext')).toBe('6')
  await step(page, 'Tokens', -2)
  expect(await slider(page, 'Width').getAttribute('aria-valuetext')).toBe('4')
  await expectRightWeights(page)
})

test('prefix: the first tokens are seen by all', async () => {
  const page = await open()
  await choose(page, 'Prefix')
  await step(page, 'Length', 1)
  await expectRightWeights(page, { sees: (query, key) => key < 3 || key <= query })
  await cell(page, 0, 5).hover()
  expect((await card(page)).note).toContain('is not among the first 3')
  await slider(page, 'Length').press('Home')
  await expectRightWeights(page)
})

test('a causal cell says that its key comes later', async () => {
  const page = await open()
  await cell(page, 1, 4).hover()
  const { mask, note, dot } = await card(page)
  expect(mask).toEqual({ work: 'hidden', result: '−∞' })
  expect(note).toBe(
    'Hidden by the causal rule: \u2068one\u2069 comes later. The score counts as −∞, so the weight is 0.',
  )
  expect(dot.result).toBe('0.7070')
})

test('words get the same vector wherever they stand, given or made up', async () => {
  const page = await open()
  await write(page, 'one hello one hello')
  const [one, hello, again, helloAgain] = await vectors(page)
  expect(one).toEqual([0.77, 0.25, 0.1])
  expect([again, helloAgain]).toEqual([one, hello])
  await expectRightWeights(page)
  await page.reload()
  await page.locator('attention-card h2').waitFor()
  await write(page, 'hello')
  expect(await vectors(page)).toEqual([hello])
})

test('everything at once, at its largest', async () => {
  const page = await open()
  for (const name of ['Tokens', 'Query heads', 'Head dim D']) await slider(page, name).press('End')
  await choose(page, '1/√D')
  expect(await page.locator('attention-heatmap').count()).toBe(8)
  expect(await heatmap(page).locator('tbody td').count()).toBe(24 * 24)
  await expectRightWeights(page, { kvHeads: 8, scale: 1 / 4 })
})
