// The six tokens are drawn before the WebAssembly arrives, with the numbers that the
// core gives once it has.

import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { differences } from './support/pictures.ts'
import { useSite } from './support/site.ts'
import { textOf } from './support/text.ts'

const open = useSite()

/** The weights of the second row, to be read in the widget. */
const weights = /0\.368.*0\.632/
const widgetIn = (page: Page) => page.locator('attention-playground')
const drawn = (page: Page) => expect.poll(() => textOf(widgetIn(page))).toMatch(weights)

/** Every number with decimals that the widget shows, in order. */
const numbersIn = async (page: Page) => (await textOf(widgetIn(page))).match(/−?\d+\.\d+/g)

/** Holds the WebAssembly back until the function that it returns is called. */
function withheld() {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const before = (page: Page) =>
    page.route('**/*.wasm', async (route) => {
      await held
      await route.continue()
    })
  return { before, ready: drawn, release: () => release() }
}

const engineIn = (page: Page) =>
  page.locator('attention-playground').evaluate((widget) => 'engine' in widget && widget.engine !== undefined)

test('all numbers are there without the WebAssembly, and stay the same with it', async () => {
  const { before, ready, release } = withheld()
  const page = await open({ before, ready })
  const first = await numbersIn(page)
  expect(await engineIn(page), 'the engine is not there').toBe(false)
  const stage = page.locator('attention-stage')
  const picture = await stage.screenshot({ animations: 'disabled' })

  release()
  await expect.poll(() => engineIn(page)).toBe(true)
  expect(await numbersIn(page)).toEqual(first)
  const later = await stage.screenshot({ animations: 'disabled' })
  expect(await differences(page, picture, later), 'pixels that differ').toBe(0)
})

test('what the build did not ask waits for the engine, without a complaint', async () => {
  const { before, ready, release } = withheld()
  const page = await open({ before, ready })
  await widgetIn(page).locator('input[type=range]').first().press('ArrowLeft')
  expect(await textOf(widgetIn(page))).not.toMatch(weights)
  expect(await page.getByRole('alert').count()).toBe(0)
  release()
  await drawn(page)
})

test('the frame draws them too', async () => {
  const page = await open({ before: (page) => page.route('**/embed/attention-*.js', () => {}) })
  // A script that never comes holds up the end of loading.
  await page.goto(`${inject('site')}embed.html`, { waitUntil: 'commit' })
  await drawn(page)
})
