// Changes that come faster than pictures are drawn.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { desk } from '../support/lab.ts'
import { differences } from '../support/pictures.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

/** The widget's large pictures are drawn in tasks of their own. */
async function picture(page: Page) {
  await page.evaluate(() => new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve), 300)))
  return page.locator('attention-stage').screenshot()
}

/** Sets the scale to each number, the next one as soon as the elements have taken the last. */
const scale = (page: Page, numbers: readonly number[]) =>
  page.locator('attention-playground').evaluate(async (element, numbers) => {
    const widget = element as HTMLElement & { ownScale: number; updateComplete: Promise<unknown> }
    for (const number of numbers) {
      widget.ownScale = number
      await widget.updateComplete
    }
  }, numbers)

// Each trace is written over the one before the last: a picture must not be compared
// with what it was drawn of and is no more.
test.each([
  ['one', [3]],
  ['two', [1, 3]],
  ['three', [1, 2, 3]],
  ['four, with the same in between', [1, 3, 2, 3]],
])('after %s at once, the picture is that of the last', async (_, numbers) => {
  const page = await open({ query: '?s=100&scale=own&sv=0.1', ...desk })
  const before = await picture(page)
  await scale(page, numbers)
  const after = await picture(page)
  const expected = await picture(await open({ query: '?s=100&scale=own&sv=3', ...desk }))
  expect(await differences(page, after, expected)).toBe(0)
  expect(await differences(page, after, before)).toBeGreaterThan(500)
})
