// Small multiples of all heads, and the legend.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { fired, settled, sixTokens, useMatrices } from '../../support/matrices.ts'

const open = useMatrices()

async function showHeads(page: Page, kvHeads: number, properties: Record<string, unknown> = {}) {
  await page.evaluate(
    async ({ tokens, kvHeads, properties }) => {
      const { matrices } = window
      const stage = matrices.traced({ tokens, queryHeads: 4, kvHeads }, 'weights')
      await matrices.show('attention-matrices', {
        matrices: [0, 1, 2, 3].map((head) => matrices.matrixOf(stage, [0, head])),
        kvHeads: [0, 1, 2, 3].map((head) => Math.floor((head * kvHeads) / 4)),
        name: 'Weights',
        rowLabels: tokens,
        columnLabels: tokens,
        ...properties,
      })
    },
    { tokens: sixTokens, kvHeads, properties },
  )
  await settled(page)
}

const titles = async (page: Page) =>
  (await page.locator('attention-matrices button').allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim())

test('query heads stand in the frame of the KV head that they read', async () => {
  const page = await open({ viewport: { width: 1440, height: 900 } })
  await showHeads(page, 2)
  const frames = page.locator('attention-matrices section')
  expect(await frames.evaluateAll((all) => all.map((frame) => frame.getAttribute('aria-label')))).toEqual([
    'KV head 0',
    'KV head 1',
  ])
  expect((await frames.nth(1).locator('button').allTextContents()).map((text) => text.trim())).toEqual([
    'Query head 2',
    'Query head 3',
  ])
  const grids = await page.getByRole('grid').evaluateAll((all) => all.map((grid) => grid.getAttribute('aria-label')))
  expect(grids).toEqual([0, 1, 2, 3].map((head) => `Weights, Query head ${head}`))
})

test('without sharing there are no frames, and each head says what it reads', async () => {
  const page = await open()
  await showHeads(page, 4)
  expect(await page.locator('attention-matrices section').count()).toBe(0)
  expect(await titles(page)).toEqual([0, 1, 2, 3].map((head) => `Query head ${head} reads KV head ${head}`))
})

test('events name the head; each is fired once', async () => {
  const page = await open({ viewport: { width: 1440, height: 900 } })
  await showHeads(page, 2)
  const box = await page.locator('attention-matrix .cells').nth(2).boundingBox()
  if (!box) throw new Error('There is no third head.')
  await page.mouse.move(box.x + 1.5 * (box.width / 6), box.y + 2.5 * (box.height / 6))
  expect(await fired(page)).toEqual([{ type: 'point', detail: { head: 2, row: 2, column: 1 } }])
  await page.mouse.down()
  await page.mouse.up()
  expect((await fired(page)).filter(({ type }) => type === 'pick')).toEqual([
    { type: 'pick', detail: { head: 2, row: 2, column: 1 } },
  ])
})

test('a head can be asked for alone, and all again', async () => {
  const page = await open({ viewport: { width: 1440, height: 900 } })
  await showHeads(page, 2)
  const small = (await page.locator('attention-matrix .cells').first().boundingBox())?.width ?? 0
  await page.getByRole('button', { name: 'Query head 3' }).click()
  expect((await fired(page)).at(-1)).toEqual({ type: 'head', detail: { head: 3 } })
  await page.locator('attention-matrices').evaluate((element) => Object.assign(element, { alone: 3 }))
  await settled(page)
  expect(await page.locator('attention-matrix').count()).toBe(1)
  expect(await titles(page)).toEqual(['Query head 3 reads KV head 1'])
  expect((await page.locator('attention-matrix .cells').boundingBox())?.width).toBeGreaterThanOrEqual(small)
  await page.getByRole('button', { name: 'Query head 3' }).click()
  expect((await fired(page)).at(-1)).toEqual({ type: 'head', detail: {} })
})

test('on a phone the heads are a strip of their own that scrolls', async () => {
  const page = await open({ viewport: { width: 360, height: 800 } })
  await showHeads(page, 2)
  const strip = page.locator('attention-matrices .strip')
  expect(await strip.evaluate((element) => element.scrollWidth > element.clientWidth + 200)).toBe(true)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
})

async function showLegend(page: Page, values: number[], hiddenBy: number[], range: { min: number; max: number }) {
  await page.evaluate(
    async ({ values, hiddenBy, range }) => {
      const { matrices } = window
      const hiddenNames = ['causal', 'window-left', 'window-right', 'allowed', 'bias']
      const stage = matrices.given(1, values.length, values, { hiddenBy: Uint8Array.from(hiddenBy), hiddenNames })
      await matrices.show('attention-legend', {
        matrices: [matrices.matrixOf(stage)],
        ramps: [{ name: 'Weight', range }],
      })
    },
    { values, hiddenBy, range },
  )
  await settled(page)
}

const legend = async (page: Page) =>
  (await page.locator('attention-legend li').allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim())

test('colour-range: the legend says the range, and names what occurs', async () => {
  const page = await open()
  await showLegend(page, [1 / 3, 1 / 3, 1 / 3], [0, 0, 0], { min: 0, max: 1 })
  expect(await legend(page)).toEqual(['Weight 0 to 1'])
  await showLegend(page, [0, 0, Number.NaN, 1], [1, 8, 0, 0], { min: -0.5, max: 2 })
  expect(await legend(page)).toEqual([
    'Weight −0.5 to 0 2',
    'hidden: causal rule',
    'hidden: allowed list',
    'not a number',
  ])
  await showLegend(page, [Number.POSITIVE_INFINITY], [0], { min: 0, max: 0 })
  expect(await legend(page)).toEqual(['Weight 0', 'infinite'])
})

test('the legend’s samples are the cells’ patterns and colours', async () => {
  const page = await open()
  await showLegend(page, [0, 0, 1], [1, 2, 0], { min: 0, max: 1 })
  const drawn = await page.locator('attention-legend canvas').evaluateAll((all) =>
    (all as HTMLCanvasElement[]).map((canvas) => {
      const copy = document.createElement('canvas')
      Object.assign(copy, { width: canvas.width, height: canvas.height })
      const context = copy.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D
      context.drawImage(canvas, 0, 0)
      return Array.from(context.getImageData(0, 0, canvas.width, canvas.height).data).join()
    }),
  )
  expect(drawn).toHaveLength(3)
  expect(new Set(drawn).size).toBe(3)
})
