// The table behind the picture, for screen readers and the keyboard; and tokens as text.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  centre,
  fired,
  numbered,
  set,
  settled,
  showGiven,
  showTraced,
  sixTokens,
  told,
  useMatrices,
} from '../../support/matrices.ts'

const open = useMatrices()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core objects to. */
async function objections(page: Page): Promise<string[]> {
  // By the debugger, which no content policy hinders.
  await page.evaluate(axe)
  const results = await page.evaluate(() => (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run())
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

test('reader-heatmap: a grid with headers, weights, and hidden said in words', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens })
  const tree = await page.locator('attention-matrix').ariaSnapshot()
  expect(tree).toContain('grid "Weights"')
  expect(tree).toContain('columnheader "journey"')
  expect(tree).toContain('rowheader "journey"')
  expect(tree).toContain('gridcell "0.632"')
  expect(tree).toContain('gridcell "hidden: causal rule"')
  expect((await told(page))[2]).toEqual(['journey', '0.368', '0.632', ...Array(4).fill('hidden: causal rule')])
})

test('reader-heatmap: a row that sees no key', async () => {
  const page = await open()
  const problem = { causal: false, allowed: [true, true, false, false], allowedShape: [2, 2] }
  await showTraced(page, { tokens: ['a', 'b'], problem })
  expect((await told(page)).at(-1)).toEqual(['b', 'hidden: allowed list', 'hidden: allowed list'])
})

test('of a large matrix the rows around the focus are there, each with its place', async () => {
  const page = await open()
  await showTraced(page, { tokens: numbered(200) })
  const grid = page.getByRole('grid')
  expect(await grid.getAttribute('aria-rowcount')).toBe('201')
  expect(await grid.getAttribute('aria-colcount')).toBe('201')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+End')
  await settled(page)
  const rows = await page
    .locator('attention-matrix tbody tr')
    .evaluateAll((all) => all.map((row) => row.getAttribute('aria-rowindex')))
  expect(rows).toEqual(['200', '201'])
  const focus = await page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return [element?.getAttribute('aria-colindex'), element?.closest('tr')?.getAttribute('aria-rowindex')]
  })
  expect(focus).toEqual(['201', '201'])
  expect(await page.locator('attention-matrix td[role=gridcell]').count()).toBeLessThan(200)
})

test('axe-core finds nothing: digits, overview, shape, empty, editing', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens }, { properties: { marked: { row: 2, column: 1 }, locked: true } })
  expect(await objections(page)).toEqual([])
  await set(page, { editable: true })
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.type('x')
  await page.keyboard.press('Enter')
  expect(await page.getByRole('alert').count()).toBe(1)
  expect(await objections(page)).toEqual([])
  await showTraced(page, { tokens: numbered(100) })
  const { x, y } = await centre(page, 50, 20, 100, 100)
  await page.mouse.move(x, y)
  await settled(page)
  expect(await objections(page)).toEqual([])
  await showGiven(page, [])
  expect(await objections(page)).toEqual([])
})

test('axe-core finds nothing in small multiples and their legend, dark', async () => {
  const page = await open({ colorScheme: 'dark', viewport: { width: 1440, height: 900 } })
  await page.evaluate(async (tokens) => {
    const { matrices } = window
    const stage = matrices.traced({ tokens, queryHeads: 4, kvHeads: 2 }, 'weights')
    const all = [0, 1, 2, 3].map((head) => matrices.matrixOf(stage, [0, head]))
    const shown = { matrices: all, kvHeads: [0, 0, 1, 1], name: 'Weights', rowLabels: tokens, columnLabels: tokens }
    const element = await matrices.show('attention-matrices', shown)
    const legend = document.createElement('attention-legend')
    element.after(Object.assign(legend, { matrices: all, ramps: [{ name: 'Weight', range: { min: 0, max: 1 } }] }))
  }, sixTokens)
  await settled(page)
  expect(await objections(page)).toEqual([])
})

const focused = (page: Page) =>
  page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    const cell = element?.closest('[role=gridcell]')
    if (!cell) return element?.localName
    return {
      row: Number(cell.closest('tr')?.getAttribute('aria-rowindex')) - 2,
      column: Number(cell.getAttribute('aria-colindex')) - 2,
    }
  })

test('the keyboard walks: one stop of the tab key, then arrows, Home, End and pages', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens }, { properties: { marked: { row: 2, column: 1 } } })
  await page.keyboard.press('Tab')
  expect(await focused(page)).toEqual({ row: 2, column: 1 })
  for (const [key, to] of [
    ['ArrowDown', { row: 3, column: 1 }],
    ['ArrowRight', { row: 3, column: 2 }],
    ['End', { row: 3, column: 5 }],
    ['ArrowRight', { row: 3, column: 5 }],
    ['Home', { row: 3, column: 0 }],
    ['ArrowLeft', { row: 3, column: 0 }],
    ['ArrowUp', { row: 2, column: 0 }],
    ['Control+End', { row: 5, column: 5 }],
    ['PageUp', { row: 0, column: 5 }],
    ['PageDown', { row: 5, column: 5 }],
    ['Control+Home', { row: 0, column: 0 }],
  ] as const) {
    await page.keyboard.press(key)
    await settled(page)
    expect(await focused(page), key).toEqual(to)
  }
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('body')
})

test('the focus is seen, where the cell is', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens })
  const ring = page.locator('attention-matrix .focus')
  expect(await ring.isVisible()).toBe(false)
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await settled(page)
  expect(await ring.isVisible()).toBe(true)
  const box = await ring.boundingBox()
  const cell = await centre(page, 1, 0, 6, 6)
  expect({ x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }).toEqual(cell)
})

test('a click brings the focus, and no ring', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens })
  const { x, y } = await centre(page, 3, 2, 6, 6)
  await page.mouse.click(x, y)
  await settled(page)
  expect(await focused(page)).toEqual({ row: 3, column: 2 })
  expect(await page.locator('attention-matrix .focus').isVisible()).toBe(false)
})

test('what the keyboard does is told to the parent', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens })
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await settled(page)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  const cell = { row: 1, column: 0 }
  expect(await fired(page)).toEqual([
    { type: 'point', detail: { row: 0, column: 0 } },
    { type: 'point', detail: cell },
    { type: 'pick', detail: cell },
    { type: 'free', detail: null },
    // The card is about where the focus is.
    { type: 'point', detail: cell },
    { type: 'point', detail: null },
  ])
})

test('a cell in a matrix that scrolls is brought into sight', async () => {
  const page = await open({ viewport: { width: 360, height: 300 } })
  await showTraced(page, { tokens: numbered(40) }, { properties: { room: 600 } })
  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+End')
  await settled(page)
  const box = await page.locator('attention-matrix .focus').boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(361)
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(301)
})

test('token-html: shown literally, in labels, titles and the table', async () => {
  const page = await open()
  const tokens = ['<s>', '<img src=x onerror=alert(1)>', '" autofocus onfocus="alert(1)', '&amp;']
  await showTraced(page, { tokens })
  const labels = page.locator('attention-matrix .labels.row span')
  expect(await labels.allTextContents()).toEqual(tokens)
  expect(await labels.nth(1).getAttribute('title')).toBe(tokens[1])
  expect((await told(page))[0]).toEqual(['<s>', '<img src=x onerror=alert…', '" autofocus onfocus="ale…', '&amp;'])
  expect(await page.locator('attention-matrix img, attention-matrix s').count()).toBe(0)
})

test('token-unicode-long: whole characters, glyphs for blanks, isolated, cut with the whole text at hand', async () => {
  const page = await open({ viewport: { width: 360, height: 800 } })
  const long = 'x'.repeat(300)
  const tokens = ['👩‍🔬', ' ', '\n', 'שלום', long]
  await showTraced(page, { tokens })
  expect((await told(page))[0]).toEqual(['👩‍🔬', '␣', '↵', 'שלום', `${'x'.repeat(24)}…`])
  const labels = page.locator('attention-matrix .labels.row span')
  expect(await labels.locator('bdi').count()).toBe(5)
  expect(await labels.nth(4).getAttribute('title')).toBe(long)
  expect((await labels.nth(4).boundingBox())?.width).toBeLessThan(90)
  expect((await page.locator('attention-matrix .labels.column span').nth(4).boundingBox())?.height).toBeLessThan(90)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
})

test('a change is told when it rests; to a person inside, at once', async () => {
  const page = await open()
  await showGiven(page, [[0.25]])
  const change = (value: number) =>
    page.evaluate(async (value) => {
      const { matrices } = window
      const element = document.querySelector('matrix-host')?.shadowRoot?.querySelector('attention-matrix')
      Object.assign(element as object, { matrix: matrices.matrixOf(matrices.given(1, 1, [value])) })
      await (element as unknown as { updateComplete: Promise<unknown> }).updateComplete
      return element?.shadowRoot?.querySelector('[role=gridcell]')?.textContent
    }, value)
  expect(await change(0.5)).toBe('0.250')
  await expect.poll(async () => (await told(page))[1]).toEqual(['0', '0.500'])
  await page.keyboard.press('Tab')
  expect(await change(0.75)).toBe('0.750')
})
