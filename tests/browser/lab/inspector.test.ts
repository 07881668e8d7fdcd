// The card: any cell of any stage, pointed at, tapped or walked to, with its formula
// filled with its numbers and its sources lit.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { card, cell, click, desk, focused, goTo, hover, inspector, lit, middle, phone, title } from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

/** The sum of products with its numbers, without the spaces between its symbols. */
const sum = async (page: Page) => (await inspector(page).locator('.sum').textContent())?.replace(/\s+/g, '')

test('the mouse shows a cell, and leaving goes back to the chosen one', async () => {
  const page = await open(desk)
  await hover(page, 'Weights', 4, 2)
  await expect.poll(() => title(page)).toBe('one → starts')
  await page.mouse.move(5, 5)
  await expect.poll(() => title(page)).toBe('journey → Your')
})

test('a click keeps the cell, Escape lets it go, and so does a second click', async () => {
  const page = await open(desk)
  await click(page, 'Weights', 5, 0)
  await hover(page, 'Weights', 4, 2)
  expect(await title(page)).toBe('step → Your')
  expect((await card(page)).notes.at(-1)).toMatch(/^Kept/)
  await page.keyboard.press('Escape')
  await expect.poll(() => title(page)).not.toBe('')
  await hover(page, 'Weights', 3, 1)
  await expect.poll(() => title(page)).toBe('with → journey')
  await click(page, 'Weights', 3, 1)
  await click(page, 'Weights', 3, 1)
  await hover(page, 'Weights', 2, 2)
  await expect.poll(() => title(page)).toBe('starts → starts')
})

test('what is below the card stays put while cells are pointed at whose cards are lower', async () => {
  const page = await open({ ...desk, query: '?d=8&h=4&kv=2&view=one' })
  const heights = () =>
    inspector(page).evaluate((card) => {
      const section = card.shadowRoot?.querySelector('section')
      return [card.getBoundingClientRect().height, section?.getBoundingClientRect().height ?? 0]
    })
  const [whole = 0, own = 0] = await heights()
  expect(whole).toBe(own)
  expect(whole).toBeGreaterThan(552)
  await hover(page, 'Weights', 0, 3)
  await expect.poll(() => title(page)).toBe('Your → with')
  const [kept = 0, lower = 0] = await heights()
  expect([kept, lower < own]).toEqual([whole, true])
  // It is lower with fewer terms, and so is what is kept.
  await page.getByRole('slider', { name: 'Head dim D' }).fill('2')
  await expect.poll(async () => (await heights())[0]).toBeLessThan(whole)
})

test('a tap shows a cell on a phone', async () => {
  const page = await open({ ...phone, hasTouch: true, isMobile: true })
  const { x, y } = await middle(page, 'Weights', 3, 1)
  await page.touchscreen.tap(x, y)
  await expect.poll(() => title(page)).toBe('with → journey')
  const { terms, steps } = await card(page)
  expect(terms).toEqual([
    '0 0.2200 0.5500 0.1210 0.1210',
    '1 0.5800 0.8700 0.5046 0.6256',
    '2 0.3300 0.6600 0.2178 0.8434',
  ])
  expect(steps['× scale']).toBe('0.8434 × 1 = 0.8434')
})

test('the arrow keys walk, and the card follows', async () => {
  const page = await open(desk)
  await cell(page, 'Weights', 1, 0).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => focused(page)).toBe('Weights [2, 1]')
  await expect.poll(() => title(page)).toBe('starts → journey')
  expect((await card(page)).steps.softmax).toMatch(/ = 0\.3893$/)
  await page.keyboard.press('Control+End')
  await expect.poll(() => title(page)).toBe('step → step')
})

test('a hidden cell says why, and its weight is 0', async () => {
  const page = await open(desk)
  await hover(page, 'Weights', 1, 4)
  await expect.poll(() => title(page)).toBe('journey → one')
  const { steps, notes } = await card(page)
  expect(steps['q · k']).toMatch(/ = 0\.7070$/)
  expect(steps.mask).toBe('hidden = −∞')
  expect(steps.softmax).toMatch(/ = 0\.0000$/)
  expect(notes[0]).toBe('Hidden by the causal rule: the score counts as −∞, so the weight is 0.')
})

test('a product: every term, and its row and column lit in its factors', async () => {
  const page = await open({ ...desk, query: '?stage=dots' })
  await hover(page, 'q·k', 4, 2)
  await expect.poll(() => title(page)).toBe('one → starts')
  expect((await card(page)).terms).toEqual([
    '0 0.7700 0.5700 0.4389 0.4389',
    '1 0.2500 0.8500 0.2125 0.6514',
    '2 0.1000 0.6400 0.0640 0.7154',
  ])
  expect(await sum(page)).toBe('0.7700⋅0.5700+0.2500⋅0.8500+0.1000⋅0.6400=0.7154')
  expect(await lit(page, 'Queries q')).toEqual([{ rows: [4, 5], columns: [0, 3] }])
  expect(await lit(page, 'Keys k')).toEqual([{ rows: [0, 3], columns: [2, 3] }])
})

test('a sum with its numbers: negative ones in brackets, only the first of many, no hidden key', async () => {
  const page = await open({ ...desk, query: '?s=8&d=8&stage=dots&cell=7,7' })
  await expect.poll(() => sum(page)).toMatch(/^[^+]+\+[^+]+\+[^+]+\+⋯=/)
  const { terms } = await card(page)
  const products = terms.slice(0, 3).map((term) => {
    const [, left = '', right = ''] = term.split(' ')
    const inBrackets = (number: string) => (number.startsWith('−') ? `(${number})` : number)
    return [left, inBrackets(right)] as const
  })
  const last = terms.at(-1)?.split(' ').at(-1)
  const written = products.map(
    ([left, right], place) => `${place > 0 && left.startsWith('−') ? `(${left})` : left}⋅${right}`,
  )
  expect(await sum(page)).toBe(`${written.join('+')}+⋯=${last}`)
  await goTo(page, 'Weights · v')
  await click(page, 'Weights · v', 1, 0)
  expect((await sum(page))?.split('+')).toHaveLength(2)
})

test('a weight: the row of scores that it is a share of is lit', async () => {
  const page = await open(desk)
  await hover(page, 'Weights', 2, 1)
  await expect.poll(() => lit(page, 'Masked scores')).toEqual([{ rows: [2, 3], columns: [0, 6] }])
})

test('a weight: the sum of its row, exponential by exponential, and it stays open for the next cell', async () => {
  const page = await open(desk)
  await inspector(page).getByText('The sum of the exponentials, key by key').click()
  const rows = () =>
    inspector(page)
      .locator('details tbody tr')
      .evaluateAll((rows) => rows.map((row) => Array.from(row.children, (part) => part.textContent?.trim()).join(' ')))
  await expect
    .poll(rows)
    .toEqual([
      'Your 0.5824 0.5824',
      'journey 1.0000 1.5824',
      ...['starts', 'with', 'one', 'step'].map((key) => `${key} hidden: causal rule`),
    ])
  // Its last sum is what the quotient divides by.
  expect((await card(page)).steps.softmax).toContain('÷ 1.5824')
  await hover(page, 'Weights', 2, 0)
  await expect.poll(async () => (await rows())[2]).toMatch(/^starts /)
  const { steps } = await card(page)
  const sum = (await rows())[2]?.split(' ').at(-1)
  expect(steps.softmax).toContain(`÷ ${sum}`)
})

test('an output of a head: every weight times every value, hidden keys not counted', async () => {
  const page = await open({ ...desk, query: '?stage=mixed' })
  await hover(page, 'Weights · v', 1, 0)
  await expect.poll(async () => (await card(page)).terms.length).toBe(6)
  const { terms, steps } = await card(page)
  expect(terms[0]).toBe('Your 0.3680 0.4300 0.1583 0.1583')
  expect(terms[1]).toBe('journey 0.6320 0.5500 0.3476 0.5058')
  expect(terms.slice(2)).toEqual(['starts', 'with', 'one', 'step'].map((key) => `${key} hidden: causal rule`))
  expect(steps.sum).toMatch(/ = 0\.5058$/)
  expect(await lit(page, 'Weights')).toEqual([{ rows: [1, 2], columns: [0, 6] }])
  expect(await lit(page, 'Values v')).toEqual([{ rows: [0, 6], columns: [0, 1] }])
})

test('a term that does not count names all rules that hide it, and the table is no wider for it', async () => {
  const rules = '&window=1&w=1&docs=1&dl=1,1&blocks=1&bs=1&dilated=1&dw=1'
  const page = await open({ ...phone, query: `?h=2&view=one&head=1&stage=mixed&cell=3,1&lock=1${rules}` })
  const { terms } = await card(page)
  expect(terms[2]).toBe('starts hidden: sliding window, block-sparse rule and dilated window')
  expect(terms[5]).toBe('step hidden: causal rule, sliding window, block-sparse rule and dilated window')
  const table = inspector(page).locator('.scroll').first()
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
})

test('a cell that is given says so, and one that is moved too', async () => {
  const page = await open(desk)
  await goTo(page, 'Wq')
  await hover(page, 'Wq', 0, 0)
  await expect.poll(async () => (await card(page)).notes[0]).toMatch(/^1 is given\. Double-click the cell/)
  await goTo(page, 'Heads merged')
  await hover(page, 'Heads merged', 1, 1)
  await expect.poll(async () => (await card(page)).notes[0]).toMatch(/is moved here from its head/)
})

/** The card's formulas as they are read, without the spaces between their symbols. */
const written = async (page: Page) =>
  (await inspector(page).locator('.formula').allTextContents()).map((text) => text.replace(/\s+/g, ''))

test('the mask: the score with its number, before and after', async () => {
  const page = await open({ ...desk, query: '?stage=masked' })
  await hover(page, 'Masked scores', 3, 1)
  await expect.poll(() => written(page)).toContain('0.8434→0.8434')
  await hover(page, 'Masked scores', 1, 4)
  await expect.poll(() => written(page)).toContain('0.7070→−∞')
  expect((await inspector(page).locator('.formula').first().textContent())?.trim()).toMatch(/where hidden$/)
})

test('a query that sees no key: what becomes of its row, in numbers and in words, and no sum of nothing', async () => {
  const page = await open({ ...phone, query: '?pos=own&qp=-1,0,1,2,3,4&cell=0,2&lock=1' })
  await expect.poll(() => written(page)).toContain('mi=−∞→wij=0.0000')
  const { notes } = await card(page)
  expect(notes[0]).toBe(
    'Hidden by the causal rule: the score counts as −∞, so the weight is 0. No key counts for this query: every score is −∞, so all of its weights are 0.',
  )
  expect(await inspector(page).locator('details').count()).toBe(0)
  await goTo(page, 'Weights · v')
  await expect.poll(() => written(page)).toContain('oid=0.0000')
  expect((await card(page)).notes[0]).toBe('No key counts for this query: there is no term, and the sum is 0.')
  await click(page, 'Weights · v', 1, 0)
  await expect.poll(async () => (await card(page)).notes).toHaveLength(1)
  await goTo(page, 'Weights')
  await expect.poll(() => inspector(page).locator('details').count()).toBe(1)
})

test('a visible key whose score is −∞ is not said to be hidden', async () => {
  const query = '?xe=0.0:3e38,1.0:3e38&wqe=0.0:-3e38&cell=0,0&lock=1'
  const page = await open({ ...phone, query })
  const { steps, notes } = await card(page)
  expect(steps.softmax).toBe('0, since every score is −∞ = 0.0000')
  expect(notes[0]).toBe('No key counts for this query: every score is −∞, so all of its weights are 0.')
  const mixed = await open({ ...phone, query: `${query}&stage=mixed` })
  const { terms } = await card(mixed)
  expect(terms.slice(0, 2)).toEqual(['Your score −∞', 'journey hidden: causal rule'])
})

test('heads merged: which head’s which number it is', async () => {
  const page = await open({ ...desk, query: '?h=2&d=3&dv=2&stage=merged' })
  await hover(page, 'Heads merged', 1, 3)
  await expect.poll(() => title(page)).toBe('journey · Hq·Dv 3')
  const value = (await inspector(page).locator('.note .number').first().textContent())?.trim()
  expect(await written(page)).toContain(`oi,3=oi,1(1)=${value}`)
})

test('pointing at a factor shows the factor’s own cell', async () => {
  const page = await open({ ...desk, query: '?stage=dots' })
  await hover(page, 'Queries q', 3, 1)
  await expect.poll(() => title(page)).toBe('with · D 1')
  expect((await card(page)).where).toContain('Queries q')
})

test('what is lit in the strip are the sources of the cell', async () => {
  const page = await open({ ...desk, query: '?stage=dots' })
  await hover(page, 'q·k', 4, 2)
  await expect.poll(() => page.locator('attention-strip .lit.query').count()).toBe(1)
  expect(await page.locator('attention-strip .lit.key').count()).toBe(1)
})

test('the indices of a formula are explained, which is that of one cell', async () => {
  const page = await open({ ...desk, query: '?stage=q' })
  expect((await written(page))[0]).toBe('qid=∑exieWq,de')
  const indices = inspector(page).locator('.indices span')
  expect(await indices.allTextContents()).toEqual(['i query', 'd head’s feature', 'e token’s feature'])
  await goTo(page, 'Weights · v')
  await expect.poll(async () => (await written(page))[0]).toBe('oid=∑jwijvjd')
  await goTo(page, 'Wq')
  await expect.poll(() => indices.count()).toBe(0)
})

test('no formula is cut at its upper or lower edge', async () => {
  const page = await open({ ...phone, query: '?h=4&kv=2&cap=5&scale=root' })
  for (const stage of [
    'Queries q',
    'q·k',
    'Scores',
    'Capped scores',
    'Masked scores',
    'Weights',
    'Weights · v',
    'Output',
  ]) {
    await goTo(page, stage)
    await expect.poll(async () => (await card(page)).where).toMatch(new RegExp(`^${stage}`))
    const cut = await inspector(page)
      .locator('.formula')
      .evaluateAll((formulas) => formulas.map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight))
    expect(Math.max(...cut), stage).toBe(0)
  }
})

test('on a phone the heads of a sum’s columns are a line each', async () => {
  for (const stage of ['q', 'dots', 'mixed', 'output']) {
    const page = await open({ ...phone, query: `?stage=${stage}` })
    const heights = await inspector(page)
      .locator('thead th')
      .evaluateAll((heads) => heads.map((head) => head.getBoundingClientRect().height))
    expect(heights, stage).toHaveLength(4)
    expect(Math.max(...heights), stage).toBeLessThan(26)
    const table = inspector(page).locator('.scroll').first()
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), stage).toBe(0)
    await page.context().close()
  }
})
