// Layers beyond what is drawn cell by cell, and beyond what a trace can hold.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { card, cell, choose, click, desk, goTo, grid, hover, lit, phone, press, turn } from '../support/lab.ts'
import { useSite } from '../support/site.ts'
import { textOf } from '../support/text.ts'

const open = useSite()

test('beyond 512 tokens a matrix is its shape, with the sizes of its axes and what is visible', async () => {
  const page = await open({ query: '?s=600&window=1&w=200' })
  const shape = page.getByRole('img', { name: /^Weights: T = 600 by S = 600/ })
  await shape.waitFor()
  // The band of a window: its outline is no triangle.
  expect(await shape.locator('path').getAttribute('d')).toMatch(/^M .* Z$/)
  // Nothing has a colour that a legend could explain.
  expect(await page.locator('attention-legend').count()).toBe(0)
  expect(await page.getByRole('alert').count()).toBe(0)
  await goTo(page, 'Output')
  await page.getByRole('img', { name: /^Output: T = 600 by N = 3/ }).waitFor()
})

/** The card's place: 'Weights; query i at position 700, key j at 100'. */
const where = async (page: Page) => (await card(page)).where

for (const [name, query] of [
  ['held', '?s=2048'],
  ['not held', '?s=2048&h=8'],
] as const) {
  test(`a matrix that is only a shape is pointed at, and any of its cells walked to, pairs ${name}`, async () => {
    const page = await open({ query })
    const heads = name === 'held' ? '' : ', query head 0 reading KV head 0'
    await grid(page, 'Weights').waitFor()
    await hover(page, 'Weights', 1500, 300)
    await expect.poll(() => where(page)).toMatch(/^Weights.*; query i at position 1[45]\d\d, key j at [23]\d\d$/)
    await page.mouse.move(0, 0)
    await expect.poll(() => where(page)).toBe(`Weights${heads}; query i at position 1, key j at 0`)

    await click(page, 'Weights', 1500, 300)
    const kept = await where(page)
    expect(kept).toMatch(/query i at position 1[45]\d\d/)
    await page.mouse.move(0, 0)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const [row, column] = [...(kept ?? '').matchAll(/\d+/g)].slice(-2).map(Number) as [number, number]
    await expect.poll(() => where(page)).toBe(`Weights${heads}; query i at position ${row + 1}, key j at ${column + 1}`)
    expect(await lit(page, 'Masked scores')).toEqual([{ rows: [row + 1, row + 2], columns: [0, 2048] }])
    // What the table behind it says of a cell is what the card has, or that the card has it.
    const { steps } = await card(page)
    const said = await grid(page, 'Weights').locator('td[tabindex="0"]').textContent()
    // Three decimals there, four here.
    if (name === 'held') expect(Math.abs(Number(said) - Number(steps.softmax?.split(' ').at(-1)))).toBeLessThan(5.5e-4)
    else expect(said).toBe('number in the card')
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => grid(page, 'Weights').locator('td[tabindex="0"]').textContent()).toBe('hidden: causal rule')
  })
}

test('a vector of many can be edited where only their shape is drawn', async () => {
  const page = await open({ query: '?s=600&stage=x' })
  await cell(page, 'Tokens x', 0, 0).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('2.5')
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('xe')).toBe('0.0:2.5')
})

test('a finger on the shape keeps a cell, and the brush paints none', async () => {
  const page = await open({ ...phone, hasTouch: true, query: '?s=600&stage=masked&paint=1' })
  await grid(page, 'Masked scores').waitFor()
  const box = await page.locator('attention-matrix .cells').boundingBox()
  await page.touchscreen.tap((box?.x ?? 0) + 20, (box?.y ?? 0) + (box?.height ?? 0) / 2)
  await expect.poll(() => where(page)).toMatch(/query i at position [23]\d\d/)
  expect((await card(page)).notes.at(-1)).toBe('Kept. Escape lets it go.')
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 40)
  await page.mouse.down()
  await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 90, { steps: 4 })
  await page.mouse.up()
  expect(new URL(page.url()).searchParams.get('cells')).toBeNull()
})

test('what is asked, given up and asked again is shown, and no word of the one that was given up', async () => {
  const page = await open({ query: '?s=2048' })
  await grid(page, 'Weights').waitFor()
  for (const on of [true, false, true, false, true]) await turn(page, 'Sliding window', on)
  await hover(page, 'Weights', 1500, 300)
  await expect
    .poll(async () => (await card(page)).notes[0], { timeout: 20_000 })
    .toContain('Hidden by the sliding window')
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('the axes of a factor that is turned have the names that its title has', async () => {
  const page = await open({ ...desk, query: '?s=600&stage=dots&d=8' })
  await page.getByRole('img', { name: /^Keys k: D = 8 by S = 600/ }).waitFor()
  await page.getByRole('img', { name: /^Queries q: T = 600 by D = 8/ }).waitFor()
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
