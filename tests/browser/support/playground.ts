// What a person does with the playground, and what they read there.

import type { Page } from 'playwright-core'

export const slider = (page: Page, name: string) => page.getByRole('slider', { name, exact: true })

/** Moves a slider by the keyboard, as many steps as it takes; negative ones go down. */
export async function step(page: Page, name: string, steps: number) {
  await slider(page, name).focus()
  for (let i = 0; i < Math.abs(steps); ++i) await page.keyboard.press(steps < 0 ? 'ArrowLeft' : 'ArrowRight')
}

export const choose = (page: Page, option: string) => page.getByRole('radio', { name: option, exact: true }).check()

export const write = (page: Page, sentence: string) => page.getByRole('textbox').fill(sentence)

export const heatmap = (page: Page, head = 0) => page.locator('attention-heatmap').nth(head).locator('table')

export const cell = (page: Page, query: number, key: number, head = 0) =>
  heatmap(page, head).locator(`tbody tr:nth-child(${query + 1}) td:nth-child(${key + 2})`)

/** Every cell's text, by row. */
export const cells = (page: Page, head = 0): Promise<string[][]> =>
  heatmap(page, head).evaluate((table: HTMLTableElement) =>
    Array.from(table.tBodies[0]?.rows ?? [], (row) =>
      Array.from(row.querySelectorAll('td'), (td) => (td.textContent ?? '').trim()),
    ),
  )

export const columns = (page: Page, head = 0) => heatmap(page, head).locator('thead th').allTextContents()
export const rows = (page: Page, head = 0) => heatmap(page, head).locator('tbody th').allTextContents()
export const captions = async (page: Page) =>
  (await page.locator('figcaption').allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim())

/** The card's lines: for each step its work and its result. */
export async function card(page: Page) {
  const text = async (selector: string) =>
    (await page.locator('attention-card').locator(selector).allTextContents()).map((line) =>
      line.replace(/\s+/g, ' ').trim(),
    )
  const [title = ''] = await text('h2')
  const [note = ''] = await text('.note')
  const work = await text('dd:not(.result)')
  const results = await text('.result')
  return {
    title,
    note,
    dot: { work: work[0], result: results[0] },
    scale: { work: work[1], result: results[1] },
    mask: { work: work[2], result: results[2] },
    softmax: { work: work[3], result: results[3] },
    shares: await page.locator('attention-card tbody tr').evaluateAll((lines) =>
      lines.map((line) =>
        Array.from(line.children, (part) => (part.textContent ?? '').trim())
          .join(' ')
          .trim(),
      ),
    ),
    output: (await text('tfoot td')).slice(1),
  }
}

/** A number as the page writes it. */
export const numberOf = (text: string) => Number(text.replace('−', '-'))

/** The vectors as the page shows them: a row for each token. */
export const vectors = async (page: Page): Promise<number[][]> => {
  const texts = await page
    .locator('attention-vectors table')
    .evaluate((table: HTMLTableElement) =>
      Array.from(table.tBodies[0]?.rows ?? [], (row) =>
        Array.from(row.querySelectorAll('td'), (td) => (td.textContent ?? '').trim()),
      ),
    )
  return texts.map((row) => row.map(numberOf))
}

/** How far the page is wider than the window. */
export const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
