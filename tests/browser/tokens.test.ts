// Tokens are text, whatever they look like.

import { expect, test } from 'vitest'
import { card, cell, cells, columns, overflow, rows, write } from './support/playground.ts'
import { useSite } from './support/site.ts'

const open = useSite()

test('token-html: shown literally everywhere', async () => {
  const page = await open()
  const tokens = ['<s>', '<img/src=x/onerror=alert(1)>', '"/autofocus/onfocus="alert(1)', '<b>bold</b>', '&amp;']
  await write(page, tokens.join(' '))
  expect(await columns(page)).toEqual(tokens)
  expect(await rows(page)).toEqual(tokens)
  await cell(page, 1, 0).hover()
  expect((await card(page)).title).toBe('<img/src=x/onerror=alert(1)> → <s>')
  expect(await page.locator('attention-vectors tbody th').allTextContents()).toEqual(tokens)
  expect(await page.locator('attention-heatmap thead th').nth(0).getAttribute('title')).toBe('<s>')
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.locator('attention-playground b, attention-playground s').count()).toBe(0)
})

test('token-html: an image tag with spaces is three tokens', async () => {
  const page = await open()
  await write(page, '<img src=x onerror=alert(1)>')
  expect(await columns(page)).toEqual(['<img', 'src=x', 'onerror=alert(1)>'])
})

test('token-unicode-long: joined emoji and other scripts stay whole, each isolated', async () => {
  const page = await open()
  const tokens = ['👩‍🔬', 'שלום', 'naïve', '東京']
  await write(page, tokens.join(' '))
  expect(await columns(page)).toEqual(tokens)
  expect(await page.locator('attention-heatmap th bdi').count()).toBe(8)
  await cell(page, 1, 0).hover()
  expect((await card(page)).title).toBe('שלום → 👩‍🔬')
})

test('token-unicode-long: a token that cannot be seen gets a glyph, and counts', async () => {
  const page = await open()
  await write(page, 'a \u00a0 \u200b b   c')
  expect(await columns(page)).toEqual(['a', '⍽', '␣', 'b', 'c'])
})

test('token-unicode-long: 300 letters are cut where they stand and whole in the card', async () => {
  const page = await open({ viewport: { width: 360, height: 800 } })
  const long = 'x'.repeat(300)
  await write(page, `a ${long} b`)
  const header = page.locator('attention-heatmap tbody th').nth(1)
  expect((await header.boundingBox())?.width).toBeLessThan(100)
  expect(await header.getAttribute('title')).toBe(long)
  await cell(page, 1, 0).click()
  expect((await card(page)).title).toBe(`${long} → a`)
  expect(await overflow(page)).toBe(0)
})

test('an empty sentence says what to do, and the next word works', async () => {
  const page = await open()
  await write(page, '   ')
  expect(await page.getByText('No token yet').isVisible()).toBe(true)
  expect(await page.locator('attention-heatmap').count()).toBe(0)
  await write(page, 'step')
  expect(await cells(page)).toEqual([['1.000']])
})

test('more tokens than there is room for are counted', async () => {
  const page = await open()
  await write(page, Array.from({ length: 30 }, (_, index) => `w${index}`).join(' '))
  expect(await columns(page)).toHaveLength(24)
  expect(await page.locator('#origin').textContent()).toContain('The first 24 of 30 tokens are used.')
})
