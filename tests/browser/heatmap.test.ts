// The cells: by mouse, finger and keyboard, for eyes and for screen readers.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { card, cell, cells, choose, heatmap, step } from './support/playground.ts'
import { useSite } from './support/site.ts'

const open = useSite()

const focused = (page: Page) =>
  page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    const td = element?.closest('td')
    const row = td?.closest('tr')
    return td && row ? { query: row.rowIndex - 1, key: td.cellIndex - 1 } : element?.id || element?.localName
  })

const title = async (page: Page) => (await card(page)).title

test('the arrow keys walk, and the card follows', async () => {
  const page = await open()
  await cell(page, 1, 0).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  expect(await focused(page)).toEqual({ query: 2, key: 1 })
  expect(await title(page)).toBe('starts → journey')
  expect((await card(page)).softmax.result).toBe('0.3893')
  for (const [key, to] of [
    ['End', { query: 2, key: 5 }],
    ['ArrowRight', { query: 2, key: 5 }],
    ['Home', { query: 2, key: 0 }],
    ['ArrowLeft', { query: 2, key: 0 }],
    ['ArrowUp', { query: 1, key: 0 }],
    ['Control+End', { query: 5, key: 5 }],
    ['ArrowDown', { query: 5, key: 5 }],
    ['Control+Home', { query: 0, key: 0 }],
    ['ArrowUp', { query: 0, key: 0 }],
  ] as const) {
    await page.keyboard.press(key)
    expect(await focused(page), key).toEqual(to)
  }
})

test('a heatmap is one stop of the tab key, at the cell where one was', async () => {
  const page = await open()
  await cell(page, 3, 2).click()
  expect(await focused(page)).toEqual({ query: 3, key: 2 })
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('div')
  await page.keyboard.press('Shift+Tab')
  expect(await focused(page)).toEqual({ query: 3, key: 2 })
  expect(await heatmap(page).locator('td[tabindex="0"]').count()).toBe(1)
})

test('everything can be reached by the tab key', async () => {
  const page = await open()
  await choose(page, 'Window')
  await step(page, 'Query heads', 1)
  await page.getByRole('textbox').focus()
  const stops: unknown[] = []
  for (let i = 0; i < 10; ++i) {
    stops.push(await focused(page))
    await page.keyboard.press('Tab')
  }
  expect(stops).toEqual([
    'sentence',
    'tokens',
    'queryHeads',
    'kvHeads',
    'headDim',
    'input',
    'input',
    'window',
    { query: 1, key: 0 },
    { query: 0, key: 0 },
  ])
})

test('the mouse shows a cell, and leaving goes back to the chosen one', async () => {
  const page = await open()
  await cell(page, 5, 0).click()
  await cell(page, 4, 2).hover()
  expect(await title(page)).toBe('one → starts')
  await page.mouse.move(5, 5)
  expect(await title(page)).toBe('step → Your')
})

test('a tap shows a cell', async () => {
  const page = await open({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 800 } })
  await cell(page, 3, 1).tap()
  const { title, dot } = await card(page)
  expect(title).toBe('with → journey')
  expect(dot).toEqual({ work: '0.22 × 0.55 + 0.58 × 0.87 + 0.33 × 0.66', result: '0.8434' })
})

test('reader-heatmap: a grid with headers, weights, and hidden said in words', async () => {
  const page = await open()
  const tree = await page.locator('attention-heatmap').ariaSnapshot()
  expect(tree).toContain('grid "Attention weights"')
  expect(tree).toContain('columnheader "journey"')
  expect(tree).toContain('rowheader "journey"')
  expect(tree).toContain('gridcell "0.632"')
  expect(tree).toContain('gridcell "hidden: causal rule"')
})

test('weights are there for a screen reader when cells are too small for digits', async () => {
  const page = await open({ viewport: { width: 360, height: 800 } })
  await step(page, 'Tokens', 10)
  expect((await cells(page))[1]?.slice(0, 2)).toEqual(['0.368', '0.632'])
  const drawn = await cell(page, 1, 0)
    .locator('.cell')
    .evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return range.getBoundingClientRect().left < element.getBoundingClientRect().right
    })
  expect(drawn).toBe(false)
})

test('a change is announced once, when the controls rest', async () => {
  const page = await open()
  const status = page.getByRole('status')
  expect(await status.textContent()).toBe('')
  await status.evaluate((element) => {
    const counted = element as HTMLElement & { times: number }
    counted.times = 0
    new MutationObserver(() => counted.times++).observe(element, {
      subtree: true,
      childList: true,
      characterData: true,
    })
  })
  await step(page, 'Tokens', 3)
  await page.waitForTimeout(900)
  expect(await status.textContent()).toBe('9 tokens, 1 query head, 1 KV head, head dimension 3, mask Causal, scale 1.')
  expect(await status.evaluate((element) => (element as HTMLElement & { times: number }).times)).toBe(1)
})

test('hidden cells differ by more than colour, and by rule', async () => {
  const page = await open()
  await choose(page, 'Window')
  await step(page, 'Width', -1)
  const pattern = (query: number, key: number) =>
    cell(page, query, key)
      .locator('.cell')
      .evaluate((element) => getComputedStyle(element).backgroundImage)
  const [visible, later, back] = [await pattern(1, 1), await pattern(0, 1), await pattern(2, 0)]
  expect(visible).toBe('none')
  expect(later).toContain('gradient')
  expect(back).toContain('gradient')
  expect(back).not.toBe(later)
})

/** A heatmap of its own inside the widget, of the given weights, drawn as large ones are. */
async function standalone(page: Page, weights: number[]) {
  await page.evaluate(async (values) => {
    const side = Math.sqrt(values.length)
    const map = document.createElement('attention-heatmap')
    Object.assign(map, {
      tokens: Array.from({ length: side }, (_, index) => `t${index}`),
      values: { weights: Float32Array.from(values), hiddenBy: new Uint8Array(values.length) },
      reasonsOf: () => [],
      size: { columns: 1, strip: false, cell: 48, label: 56, digits: true, upright: false },
      picked: { query: 0, key: 0 },
      name: 'standalone',
    })
    document.querySelector('attention-playground')?.shadowRoot?.append(map)
    await (map as HTMLElement & { updateComplete: Promise<unknown> }).updateComplete
  }, weights)
  return page.getByRole('grid', { name: 'standalone' })
}

type Triple = [number, number, number]

/** The relative luminance (WCAG 2) of a colour as getComputedStyle writes it. */
function luminance(colour: string): number {
  const [x = 0, y = 0, z = 0] = (colour.match(/-?[\d.]+(e-?\d+)?/g) ?? []).map(Number)
  let linear: Triple
  if (colour.startsWith('oklab')) {
    const [l, m, s] = [
      (x + 0.3963377774 * y + 0.2158037573 * z) ** 3,
      (x - 0.1055613458 * y - 0.0638541728 * z) ** 3,
      (x - 0.0894841775 * y - 1.291485548 * z) ** 3,
    ]
    linear = [
      4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
      -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
      -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
    ]
  } else {
    expect(colour).toMatch(/^rgb\(/)
    linear = [x, y, z].map((value) => {
      const channel = value / 255
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
    }) as Triple
  }
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`palette-dpi: the ramp is monotonic and its digits are readable, ${colorScheme}`, async () => {
    const page = await open({ colorScheme, reducedMotion: 'reduce' })
    const count = 21 * 21
    const grid = await standalone(
      page,
      Array.from({ length: count }, (_, index) => index / (count - 1)),
    )
    const colours = await grid.locator('.cell').evaluateAll((elements) =>
      elements.map((element) => {
        const { backgroundColor, color } = getComputedStyle(element)
        return [backgroundColor, color] as const
      }),
    )
    const behind = colours.map(([background]) => luminance(background))
    const contrasts = colours.map(([background, text]) => {
      const pair = [luminance(background), luminance(text)]
      return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05)
    })
    expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5)
    const direction = colorScheme === 'light' ? -1 : 1
    for (let i = 1; i < count; ++i) {
      expect(direction * ((behind[i] as number) - (behind[i - 1] as number)), `step ${i}`).toBeGreaterThan(0)
    }
  })
}

test('colour-range: a flat matrix is flat, a zero is lightest, NaN is like nothing else', async () => {
  const page = await open({ reducedMotion: 'reduce' })
  const third = 1 / 3
  const grid = await standalone(page, [third, third, third, 0, 0, 0, Number.NaN, 1, 0])
  const drawn = await grid.locator('.cell').evaluateAll((elements) =>
    elements.map((element) => {
      const { backgroundColor, boxShadow } = getComputedStyle(element)
      return { text: element.textContent?.trim(), drawn: `${backgroundColor} ${boxShadow}` }
    }),
  )
  expect(drawn.map(({ text }) => text)).toEqual([
    '0.333',
    '0.333',
    '0.333',
    '0.000',
    '0.000',
    '0.000',
    'NaN',
    '1.000',
    '0.000',
  ])
  expect(new Set(drawn.slice(0, 3).map(({ drawn }) => drawn)).size).toBe(1)
  expect(drawn.filter(({ drawn: other }) => other === drawn[6]?.drawn)).toHaveLength(1)
  expect((await page.locator('.legend').textContent())?.replace(/\s+/g, ' ')).toContain('Weight 0 1')
})
