// A stage in full, and what it is made of beside it or below it.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { desk, grid, phone } from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

const legend = async (page: Page) =>
  (await page.locator('attention-legend li').allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim())

test('every matrix that is shown has its own ends in the legend, which names a rule once', async () => {
  const page = await open({ ...desk, query: '?stage=mixed' })
  expect(await legend(page)).toEqual([
    'Weights · v 0 to 0.89',
    'Weights 0 to 1',
    'Values v 0 to 0.89',
    'hidden: causal rule',
  ])
  // A phone shows no factors.
  const small = await open({ ...phone, query: '?stage=mixed' })
  expect(await grid(small, 'Weights').count()).toBe(0)
  expect(await legend(small)).toEqual(['Weights · v 0 to 0.89'])
})
