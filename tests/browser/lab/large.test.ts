// Layers beyond what is drawn cell by cell, and beyond what a trace can hold.

import { expect, test } from 'vitest'
import { choose, goTo, press } from '../support/lab.ts'
import { useSite } from '../support/site.ts'
import { textOf } from '../support/text.ts'

const open = useSite()

test('beyond 512 tokens a matrix is its shape, with the sizes of its axes and what is visible', async () => {
  const page = await open({ query: '?s=600&window=1&w=200' })
  const shape = page.getByRole('img', { name: /^Weights: T = 600 by S = 600/ })
  await shape.waitFor()
  // The band of a window: its outline is no triangle.
  expect(await shape.locator('path').getAttribute('d')).toMatch(/^M .* Z$/)
  expect(await page.getByRole('alert').count()).toBe(0)
  await goTo(page, 'Output')
  await page.getByRole('img', { name: /^Output: T = 600 by N = 3/ }).waitFor()
})

test('more pairs than a trace can hold: the output is there, and the page says what is not', async () => {
  // 2 · 16 · 512² pairs; the matrices of tokens are drawn.
  const page = await open({ query: '?s=512&h=16&pos=ragged' })
  const widget = page.locator('attention-playground')
  await expect.poll(() => textOf(widget)).toContain('too many pairs to hold at once')
  expect(await page.getByRole('alert').count()).toBe(0)
  await goTo(page, 'Output')
  await page.getByRole('grid', { name: 'Output', exact: true }).waitFor()
  expect(await textOf(widget)).not.toContain('too many pairs')
})

test('what is not held is not exported, and that is said', async () => {
  const page = await open({ query: '?s=1024&h=8' })
  const widget = page.locator('attention-playground')
  await expect.poll(() => textOf(widget)).toContain('too many pairs to hold at once')
  for (const format of ['Stage as CSV', 'Picture (PNG)', 'Picture (SVG)']) {
    await press(page, 'Export')
    await press(page, format)
    await expect
      .poll(() => page.getByRole('status').allTextContents())
      .toContainEqual(
        expect.stringMatching(format === 'Stage as CSV' ? /too many pairs/ : /too large to be saved as a picture/),
      )
  }
})

test('a smaller layer after a larger one: the latest is shown', async () => {
  const page = await open({ query: '?s=1024&h=8' })
  await choose(page, 'Positions', 'Cached decoding')
  await page
    .getByRole('grid', { name: /^Weights/ })
    .first()
    .waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})
