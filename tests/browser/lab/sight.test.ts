// The stage stays in the window while the controls are used that change it.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { choose, desk, expectCells, focused, phone, slider } from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

const boxOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect)

/** Whether the whole of the drawn matrix lies in the window, and nothing over it. */
const isSeen = (page: Page) =>
  page.locator('attention-stage .result .cells').evaluate((cells) => {
    const { left, right, top, bottom } = cells.getBoundingClientRect()
    const over = (x: number, y: number) => {
      let element = document.elementFromPoint(x, y)
      while (element?.shadowRoot?.elementFromPoint(x, y)) {
        const inner = element.shadowRoot.elementFromPoint(x, y)
        if (inner === element) break
        element = inner
      }
      return cells.contains(element)
    }
    return top >= 0 && bottom <= innerHeight && over(left + 4, top + 4) && over(right - 4, bottom - 4)
  })

for (const [name, size] of Object.entries({ desk, tablet: { viewport: { width: 768, height: 1024 } }, phone })) {
  test(`the last of the controls is used with the matrix in sight, ${name}`, async () => {
    const page = await open(size)
    await slider(page, 'Seed').scrollIntoViewIfNeeded()
    await choose(page, 'Wq', 'Random')
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(100)
    expect(await isSeen(page)).toBe(true)
    // And it shows what was changed.
    await choose(page, 'Wq', 'Zero')
    expect(await isSeen(page)).toBe(true)
    await expectCells(page, 'Weights', [
      ['1.000', ...Array(5).fill('hidden: causal rule')],
      ['0.500', '0.500', ...Array(4).fill('hidden: causal rule')],
      ['0.333', '0.333', '0.333', ...Array(3).fill('hidden: causal rule')],
      [...Array(4).fill('0.250'), ...Array(2).fill('hidden: causal rule')],
      [...Array(5).fill('0.200'), 'hidden: causal rule'],
      Array(6).fill('0.167'),
    ])
  })
}

test('what gets the focus is never behind the stage', async () => {
  const page = await open(phone)
  await slider(page, 'Seed').focus()
  const seen: string[] = []
  for (let steps = 0; steps < 30; ++steps) {
    await page.keyboard.press('Shift+Tab')
    const name = await focused(page)
    if (name.startsWith('Weights [')) break
    seen.push(name)
    const covered = await page.evaluate(() => {
      let element = document.activeElement
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
      const stage = document.querySelector('attention-playground')?.shadowRoot?.querySelector('.stage')
      const { bottom } = stage?.getBoundingClientRect() ?? { bottom: 0 }
      const stuck = stage?.getBoundingClientRect().top === 0
      return stuck && (element?.getBoundingClientRect().top ?? 0) < bottom
    })
    expect(covered, name).toBe(false)
  }
  expect(seen.length).toBeGreaterThan(12)
})

test('a stage that leaves the controls no room scrolls away with the rest', async () => {
  const page = await open({ viewport: { width: 740, height: 360 } })
  await slider(page, 'Seed').scrollIntoViewIfNeeded()
  expect((await boxOf(page, 'attention-stage')).bottom).toBeLessThan(0)
})

test('a page says what its own header covers', async () => {
  const page = await open(phone)
  await page.locator('attention-playground').evaluate((widget) => widget.style.setProperty('--attention-top', '48px'))
  await slider(page, 'Seed').scrollIntoViewIfNeeded()
  const { top } = await page.locator('attention-playground .stage').evaluate((stage) => stage.getBoundingClientRect())
  expect(top).toBe(48)
})
