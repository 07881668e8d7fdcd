// What a person does with the lab, and what they read there: by roles and names, as
// a screen reader has them. Cells are pointed at where they are drawn.

import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

export const slider = (page: Page, name: string) => page.getByRole('slider', { name, exact: true })

/** The slider's number, which is not its place on the way. */
export const numberOf = (page: Page, name: string) => slider(page, name).getAttribute('aria-valuetext')

/** Moves a slider by the keyboard, as many steps as it takes; negative ones go down. */
export async function step(page: Page, name: string, steps: number) {
  await slider(page, name).focus()
  for (let i = 0; i < Math.abs(steps); ++i) await page.keyboard.press(steps < 0 ? 'ArrowLeft' : 'ArrowRight')
}

/** Types a number beside a slider. */
export async function type(page: Page, name: string, text: string) {
  const field = page.getByRole('textbox', { name: `${name}, as a number`, exact: true })
  await field.fill(text)
  await field.press('Enter')
}

export const choose = (page: Page, group: string, option: string) =>
  page.getByRole('group', { name: group, exact: true }).getByRole('radio', { name: option, exact: true }).check()

export const turn = (page: Page, rule: string, on = true) =>
  page.getByRole('checkbox', { name: rule, exact: true }).setChecked(on)

export const press = (page: Page, button: string) => page.getByRole('button', { name: button, exact: true }).click()

export const sentence = (page: Page) => page.getByRole('textbox', { name: 'Sentence, split on spaces' })

/** The stages of the strip by their names. */
export const strip = (page: Page) => page.getByRole('navigation', { name: 'Stages of the computation' })

/** Shows a stage in full: 'Weights', 'Tokens x', 'Wq'. */
export const goTo = (page: Page, stage: string) =>
  strip(page)
    .getByRole('button')
    .and(page.locator(`[aria-label*=${JSON.stringify(`: ${stage}, `)}]`))
    .click()

/** The table behind a drawn matrix: 'Weights', or 'Weights, Query head 0' where there are several. */
export const grid = (page: Page, name: string) => page.getByRole('grid', { name, exact: true })

/** Every cell's text, by row. */
export const cells = (page: Page, name: string): Promise<string[][]> =>
  grid(page, name).evaluate((table: HTMLTableElement) =>
    Array.from(table.tBodies[0]?.rows ?? [], (row) =>
      Array.from(row.querySelectorAll('td:not(.sum)'), (td) => (td.textContent ?? '').trim()),
    ),
  )

/** The sums of the rows that stand beside them, where there are any. */
export const sums = (page: Page, name: string) => grid(page, name).locator('tbody td.sum').allTextContents()

/** Waits until the table says so; it tells what has changed when the numbers rest. */
export const expectCells = (page: Page, name: string, expected: string[][]) =>
  expect.poll(() => cells(page, name)).toEqual(expected)

export const columns = (page: Page, name: string) => grid(page, name).locator('thead th:not(.sum)').allTextContents()
export const rows = (page: Page, name: string) => grid(page, name).locator('tbody th').allTextContents()

/** The part of the table that a screen reader reads for a cell; the tab key stops at one of them. */
export const cell = (page: Page, name: string, row: number, column: number) =>
  grid(page, name).locator(`tbody tr:nth-child(${row + 1}) td:nth-child(${column + 2})`)

/** The middle of a cell where it is drawn, after scrolling it into the window. */
export async function middle(page: Page, name: string, row: number, column: number) {
  const [rows, columns] = await grid(page, name).evaluate((table) => {
    const counted = (count: string) => Number(table.getAttribute(count)) - 1
    return [counted('aria-rowcount'), counted('aria-colcount') - table.querySelectorAll('thead .sum').length]
  })
  const picture = page
    .locator('attention-matrix')
    .filter({ has: grid(page, name) })
    .locator('.cells')
    .first()
  // Under the cell's own middle, so that a tall matrix is scrolled to it.
  await picture.evaluate(
    (element, at) => {
      const { top, height } = element.getBoundingClientRect()
      const y = top + at * height
      if (y < 0 || y > innerHeight) scrollBy(0, y - innerHeight / 2)
    },
    (row + 0.5) / rows,
  )
  const box = await picture.boundingBox()
  if (!box) throw new Error(`${name} is not drawn`)
  return {
    x: box.x + ((column + 0.5) * box.width) / columns,
    y: box.y + ((row + 0.5) * box.height) / rows,
  }
}

export async function hover(page: Page, name: string, row: number, column: number) {
  const { x, y } = await middle(page, name, row, column)
  await page.mouse.move(x, y)
}

export async function click(page: Page, name: string, row: number, column: number) {
  const { x, y } = await middle(page, name, row, column)
  await page.mouse.click(x, y)
}

/** Puts a number in a cell of the stage that is shown, by the keyboard. */
export async function edit(page: Page, name: string, row: number, column: number, number: string) {
  const at = cell(page, name, row, column)
  await at.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type(number)
  await page.keyboard.press('Enter')
}

export const inspector = (page: Page) => page.locator('attention-inspector')

const lines = async (locator: Locator) =>
  (await locator.allTextContents()).map((line) => line.replace(/\s+/g, ' ').trim())

/** The inspector's card: its title, where it is, the terms of its sum, its steps and its notes. */
export async function card(page: Page) {
  const of = inspector(page)
  const names = await lines(of.locator('dt'))
  const [work, results] = [await lines(of.locator('dd:not(.result)')), await lines(of.locator('dd.result'))]
  return {
    title: (await lines(of.locator('h3')))[0],
    where: (await lines(of.locator('.where')))[0],
    terms: await of
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => Array.from(row.children, (part) => (part.textContent ?? '').trim()).join(' ')),
      ),
    steps: Object.fromEntries(names.map((name, index) => [name, `${work[index]} = ${results[index]}`])),
    notes: await lines(of.locator('.note')),
  }
}

export const title = async (page: Page) => (await card(page)).title

/** What is lit in a drawn matrix, as rows and columns from the first up to, not including, the second. */
export const lit = (page: Page, name: string) =>
  page
    .locator('attention-matrix')
    .filter({ has: grid(page, name) })
    .locator('.lit')
    .evaluateAll((boxes) =>
      boxes.map((box) => {
        const at = (side: string) => Number((box as HTMLElement).style.getPropertyValue(side))
        return {
          rows: [at('--row'), at('--row') + at('--rows')],
          columns: [at('--column'), at('--column') + at('--columns')],
        }
      }),
    )

/** The element that has the focus, inside of whatever shadow trees: its role's name and its own. */
export const focused = (page: Page) =>
  page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    if (!element) return ''
    if (element.localName === 'td') {
      const row = element.closest('tr') as HTMLTableRowElement
      const table = element.closest('table')?.getAttribute('aria-label')
      return `${table} [${row.rowIndex - 1}, ${(element as HTMLTableCellElement).cellIndex - 1}]`
    }
    const labels = (element as HTMLInputElement).labels
    const name = element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element.textContent ?? ''
    return name.replace(/\s+/g, ' ').trim()
  })

/** How far the page is wider than the window. */
export const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

export const desk = { viewport: { width: 1440, height: 900 } }
export const phone = { viewport: { width: 360, height: 800 } }
