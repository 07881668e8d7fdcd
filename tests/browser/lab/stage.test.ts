// A stage in full, and what it is made of beside it or below it.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { desk, grid, hover, overflow, phone } from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

const legend = async (page: Page) =>
  (await page.locator('attention-legend li').allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim())

/** Colours in the first cell: more than a few where it has digits. */
const inks = async (page: Page, name: string) => {
  const drawn = page.locator('attention-matrix').filter({ has: grid(page, name) })
  return drawn.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const copy = new OffscreenCanvas(28, 28).getContext('2d') as OffscreenCanvasRenderingContext2D
    copy.drawImage(canvas, 2, 2, 28, 28, 0, 0, 28, 28)
    return new Set(new Uint32Array(copy.getImageData(0, 0, 28, 28).data.buffer)).size
  })
}

test('digits have room at 13 and 16 tokens: the stage comes first, and what it is made of after it', async () => {
  for (const width of [1440, 1024]) {
    for (const [query, name, factor] of [
      ['?s=13', 'Weights', 'Masked scores'],
      ['?s=16&stage=mixed', 'Weights · v', 'Values v'],
      ['?s=16&stage=dots', 'q·k', 'Queries q'],
    ] as const) {
      const page = await open({ viewport: { width, height: 900 }, query })
      expect(await inks(page, name), `${name}, ${width} pixels`).toBeGreaterThan(5)
      expect(await page.getByRole('button', { name: new RegExp(`^${factor} \\[`) }).count()).toBe(1)
      expect(await overflow(page)).toBe(0)
      await page.context().close()
    }
  }
})

test('every matrix that is shown has its own ends in the legend, which names a rule once', async () => {
  const page = await open({ ...desk, query: '?stage=mixed' })
  expect(await legend(page)).toEqual([
    'Weights 0 to 1',
    'Values v 0 to 0.89',
    'Weights · v 0 to 0.89',
    'hidden: causal rule',
  ])
  // A phone shows no factors.
  const small = await open({ ...phone, query: '?stage=mixed' })
  expect(await grid(small, 'Weights').count()).toBe(0)
  expect(await legend(small)).toEqual(['Weights · v 0 to 0.89'])
  // The weights of many keys are small.
  const many = await open({ ...desk, query: '?s=64' })
  expect(await legend(many)).toContain('Weights 0 to 0.1 or more')
})

test('the lens covers nothing that is lit, in what is beside the stage neither', async () => {
  for (const [query, name] of [
    ['?s=100', 'Weights'],
    ['?s=100&stage=dots', 'q·k'],
  ] as const) {
    const page = await open({ ...desk, query })
    await hover(page, name, 50, 70)
    const lens = page.locator('attention-stage .result .magnified')
    await lens.waitFor()
    const lit = page.locator('attention-stage .lit')
    await expect.poll(() => lit.count()).toBe(name === 'Weights' ? 1 : 2)
    const edges = (box: Element) => box.getBoundingClientRect().toJSON() as DOMRect
    const covers = async () => {
      const { left, right, top, bottom } = await lens.evaluate(edges)
      const all = await lit.evaluateAll((boxes) => boxes.map((box) => box.getBoundingClientRect().toJSON() as DOMRect))
      return all.some((box) => left < box.right && box.left < right && top < box.bottom && box.top < bottom)
    }
    // It is opened before it is placed.
    await expect.poll(() => lens.evaluate((box) => (box as HTMLElement).style.left)).not.toBe('')
    expect(await covers(), name).toBe(false)
  }
})
