// Tokens are text, whatever they look like, everywhere in the widget.

import { expect, test } from 'vitest'
import { card, cells, columns, goTo, hover, overflow, phone, rows, sentence, title } from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

test('token-html: shown literally everywhere', async () => {
  const page = await open()
  const tokens = ['<s>', '<img/src=x/onerror=alert(1)>', '"/autofocus/onfocus="alert(1)', '<b>bold</b>', '&amp;']
  await sentence(page).fill(tokens.join(' '))
  await expect.poll(() => rows(page, 'Weights')).toHaveLength(5)
  // The table cuts what is long to hear; the labels' titles have the whole.
  expect((await columns(page, 'Weights')).map((text) => text.slice(0, 8))).toEqual(
    tokens.map((text) => text.slice(0, 8)),
  )
  const titles = await page
    .locator('attention-stage .result .labels.row span[title]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('title')))
  // The pointed one's label is drawn last.
  expect(titles.toSorted()).toEqual(tokens.toSorted())
  await hover(page, 'Weights', 1, 0)
  await expect.poll(() => title(page)).toBe('<img/src=x/onerror=alert(1)> → <s>')
  await goTo(page, 'Weights · v')
  await hover(page, 'Weights · v', 4, 0)
  await expect.poll(async () => (await card(page)).terms.map((term) => term.split(' ')[0])).toEqual(tokens)
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.locator('attention-playground b, attention-playground s').count()).toBe(0)
})

test('token-unicode-long: joined emoji and other scripts stay whole, each isolated', async () => {
  const page = await open()
  const tokens = ['👩‍🔬', 'שלום', 'naïve', '東京']
  await sentence(page).fill(tokens.join(' '))
  await expect.poll(() => columns(page, 'Weights')).toEqual(tokens)
  expect(await page.locator('attention-stage .result table th bdi').count()).toBe(8)
  await hover(page, 'Weights', 1, 0)
  await expect.poll(() => title(page)).toBe('שלום → 👩‍🔬')
})

test('token-unicode-long: a token that cannot be seen gets a glyph, and counts', async () => {
  const page = await open()
  await sentence(page).fill('a \u00a0 \u200b b   c')
  await expect.poll(() => columns(page, 'Weights')).toEqual(['a', '⍽', '␣', 'b', 'c'])
})

test('token-unicode-long: 300 letters are cut where they stand and whole in the card', async () => {
  const page = await open(phone)
  const long = 'x'.repeat(300)
  await sentence(page).fill(`a ${long} b`)
  const label = page.locator(`attention-stage .result .labels.row span[title="${long}"]`)
  await label.waitFor()
  expect((await label.boundingBox())?.width).toBeLessThan(120)
  await hover(page, 'Weights', 1, 0)
  await expect.poll(() => title(page)).toBe(`${long} → a`)
  expect(await overflow(page)).toBe(0)
})

test('64 tokens have every cell, and a lens opens beyond', async () => {
  const page = await open({ query: '?s=64' })
  const grid = page.getByRole('grid', { name: 'Weights' })
  expect(await grid.getAttribute('aria-rowcount')).toBe('65')
  await page.goto(`${page.url().replace(/\?.*/, '')}?s=512`)
  await expect.poll(() => grid.getAttribute('aria-rowcount'), { timeout: 20_000 }).toBe('513')
  await hover(page, 'Weights', 100, 50)
  await page.locator('attention-stage .result .magnified').waitFor()
  await expect.poll(async () => (await card(page)).where).toContain('query i at position 100, key j at 50')
  expect((await cells(page, 'Weights')).length).toBeLessThan(10)
})
