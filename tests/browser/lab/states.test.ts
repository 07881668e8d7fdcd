// How the main states look, in what does not depend on a machine's fonts: where the
// parts stand to each other, that none covers another or is cut, and the colours of
// cells. Pictures of whole pages would differ from machine to machine.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useSite } from '../support/site.ts'

const open = useSite()

const parts = ['toolbar', 'strip', 'stage', 'inspector', 'controls', 'rules'] as const
type Part = (typeof parts)[number]
interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const boxes = async (page: Page) =>
  Object.fromEntries(
    await Promise.all(
      parts.map(async (part) => [
        part,
        await page.locator(`attention-${part}`).evaluate((element) => {
          const { left, right, top, bottom } = element.getBoundingClientRect()
          return { left, right, top: top + scrollY, bottom: bottom + scrollY }
        }),
      ]),
    ),
  ) as Record<Part, Box>

/** Within a pixel, since boxes are where fractions of one put them. */
const above = (a: Box, b: Box) => a.bottom <= b.top + 1
const leftOf = (a: Box, b: Box) => a.right <= b.left + 1

/** How far something in the stage juts out of it: where it neither scrolls nor wraps. */
const juttingOut = (page: Page) =>
  page.locator('attention-stage').evaluate((stage) => {
    const { right } = stage.getBoundingClientRect()
    const inside = (root: ParentNode): Element[] =>
      [...root.querySelectorAll('*')].flatMap((element) => [
        element,
        ...(element.shadowRoot ? inside(element.shadowRoot) : []),
      ])
    const strips = inside(stage.shadowRoot as ShadowRoot).filter((element) => element.matches('.strip'))
    const parts = strips.length > 0 ? strips : inside(stage.shadowRoot as ShadowRoot)
    const shown = parts.filter((element) => !element.closest('.table, .unseen, .probe'))
    return Math.max(...shown.map((element) => element.getBoundingClientRect().right)) - right
  })

const states = {
  'six tokens': '',
  '16 tokens, grouped heads': '?s=16&h=4&kv=2',
  '64 tokens, 8 heads': '?s=64&h=8',
  '64 tokens, 8 heads that share 4': '?s=64&h=8&kv=4',
  'an edited Wq': '?stage=wq&wqe=0.1:0.5',
  'a step of decoding': '?pos=decoding&step=3',
  'every rule': '?window=1&prefix=1&docs=1&blocks=1&dilated=1&paint=1&cells=1.0',
  'a head of four alone, its scores': '?h=4&kv=2&view=one&stage=scores',
}

for (const [name, query] of Object.entries(states)) {
  test(`${name}: parts stand where they belong, at 360, 768 and 1440 px`, async () => {
    const page = await open({ query, viewport: { width: 1440, height: 900 } })
    for (const width of [1440, 768, 360]) {
      await page.setViewportSize({ width, height: 900 })
      await expect
        .poll(() => page.locator('attention-playground').evaluate((element) => Math.round(element.clientWidth)))
        .toBeLessThanOrEqual(width)
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      const { toolbar, strip, stage, inspector, controls, rules } = await boxes(page)
      const where = `at ${width} px: ${JSON.stringify({ toolbar, strip, stage, inspector, controls, rules })}`
      for (const box of [toolbar, strip, stage, inspector, controls, rules]) {
        expect(box.left, where).toBeGreaterThanOrEqual(0)
        expect(box.right, where).toBeLessThanOrEqual(width)
        expect(box.bottom - box.top, where).toBeGreaterThan(20)
      }
      expect(above(toolbar, strip) && above(strip, stage), where).toBe(true)
      expect(await juttingOut(page), where).toBeLessThanOrEqual(1)
      if (width === 1440) {
        expect(leftOf(controls, stage) && leftOf(stage, inspector) && above(inspector, rules), where).toBe(true)
        expect(leftOf(stage, rules), where).toBe(true)
      } else {
        expect(above(stage, inspector) && above(inspector, controls), where).toBe(true)
        expect(width === 768 ? leftOf(controls, rules) : above(controls, rules), where).toBe(true)
      }
    }
  })
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the strip’s picture of a stage has the colours of its cells, ${colorScheme}`, async () => {
    const page = await open({ colorScheme })
    /** The colours of all cells of a canvas, a sixth from their corner, where no digit stands. */
    const colours = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const canvas = element as HTMLCanvasElement
          const context = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {
            willReadFrequently: true,
          })
          if (!context) throw new Error('no canvas')
          context.drawImage(canvas, 0, 0)
          const found: string[] = []
          for (let row = 0; row < 6; ++row) {
            // Hidden cells have a pattern, of which a single pixel says nothing.
            for (let column = 0; column <= row; ++column) {
              const at = (index: number, size: number) => Math.floor(((index + 1 / 6) * size) / 6)
              const [x, y] = [at(column, canvas.width), at(row, canvas.height)]
              found.push(Array.from(context.getImageData(x, y, 1, 1).data.slice(0, 3)).join(' '))
            }
          }
          return found
        })
    const large = await colours('attention-stage .result canvas')
    const small = await colours('attention-strip [aria-current] canvas')
    expect(small).toEqual(large)
    // 1.000, 0.368, 0.632 …: as many colours as there are numbers that a palette can tell apart.
    expect(new Set(large).size).toBeGreaterThan(15)
  })
}

test('dark-and-print: what is printed is light, whole, and without what nobody can press on paper', async () => {
  const page = await open({ colorScheme: 'dark', query: '?s=6&h=2&window=1', viewport: { width: 1440, height: 900 } })
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
  // The width of an A4 page with its margins, at 96 pixels an inch.
  await page.setViewportSize({ width: 718, height: 1000 })
  const widget = page.locator('attention-playground .widget')
  await expect
    .poll(() => widget.evaluate((element) => getComputedStyle(element).backgroundColor))
    .toBe('rgb(255, 255, 255)')
  for (const part of [
    'attention-strip',
    'attention-stage',
    'attention-legend',
    'attention-inspector',
    'attention-rules',
  ]) {
    expect(await page.locator(part).first().isVisible(), part).toBe(true)
  }
  for (const part of [
    'attention-toolbar',
    'attention-controls',
    '.head attention-field',
    'attention-stage attention-field',
  ]) {
    expect(await page.locator(part).count(), part).toBe(1)
    expect(await page.locator(part).isVisible(), part).toBe(false)
  }
  const settings = page.getByText('Query heads: 2 · Sliding window: on', { exact: true })
  expect(await settings.isVisible()).toBe(true)
  await page.emulateMedia({ media: 'screen' })
  expect(await settings.isVisible()).toBe(false)
  await page.emulateMedia({ media: 'print' })
  const rules = page.locator('attention-rules')
  expect(await rules.locator('li:visible').count()).toBe(2)
  expect(await rules.getByText('the last 3, itself among them').isVisible()).toBe(true)
  expect(await rules.getByRole('slider').count()).toBe(0)
  expect(await juttingOut(page)).toBeLessThanOrEqual(1)
  // All stages of the strip, of which a narrow screen shows some.
  const ends = await page
    .locator('attention-strip')
    .evaluate((strip) =>
      Array.from(strip.shadowRoot?.querySelectorAll('li') ?? [], (li) => li.getBoundingClientRect().right),
    )
  expect(ends.length).toBeGreaterThan(10)
  expect(Math.max(...ends)).toBeLessThanOrEqual(718)
})

test('dark-and-print: the theme follows the page live', async () => {
  const page = await open({ colorScheme: 'light' })
  const surface = () =>
    page.locator('attention-playground .widget').evaluate((element) => getComputedStyle(element).backgroundColor)
  const light = await surface()
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await surface()).not.toBe(light)
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
  expect(await page.locator('attention-stage canvas').first().isVisible()).toBe(true)
  expect(await page.locator('attention-controls').isVisible()).toBe(false)
})
