// The page as a whole: it fits, it stands still, it says so when it cannot work.

import { expect, test } from 'vitest'
import { cells, choose, overflow, slider, step } from './support/playground.ts'
import { useSite } from './support/site.ts'

const open = useSite()

test('it has a title, a language and one main heading', async () => {
  const page = await open()
  expect(await page.title()).toBe('Attention playground')
  expect(await page.locator('html').getAttribute('lang')).toBe('en')
  expect(await page.locator('h1').allTextContents()).toEqual(['Attention playground'])
})

for (const width of [360, 768, 1440]) {
  test(`nothing makes the page scroll sideways at ${width} px`, async () => {
    const page = await open({ viewport: { width, height: 800 } })
    expect(await overflow(page), 'at first').toBe(0)
    for (const mask of ['Window', 'Prefix']) {
      await choose(page, mask)
      expect(await overflow(page), mask).toBe(0)
    }
    await step(page, 'Query heads', 3)
    expect(await overflow(page), 'four heads').toBe(0)
    await slider(page, 'Head dim D').press('End')
    await slider(page, 'Tokens').press('End')
    expect(await overflow(page), 'all at its largest').toBe(0)
  })
}

test('heatmaps do not run into the card', async () => {
  const page = await open()
  for (const heads of [1, 2, 5, 8]) {
    await slider(page, 'Query heads').press('Home')
    await step(page, 'Query heads', heads - 1)
    for (const end of ['End', 'Home']) {
      await slider(page, 'Tokens').press(end)
      if (end === 'Home') await step(page, 'Tokens', 1)
      const tables = await page
        .locator('attention-heatmap table')
        .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().right))
      const card = await page.locator('attention-card').boundingBox()
      expect(Math.max(...tables), `${heads} heads, ${end}`).toBeLessThanOrEqual(card?.x ?? 0)
    }
  }
})

for (const width of [360, 1440]) {
  test(`nothing moves while the core is being loaded, at ${width} px`, async () => {
    const page = await open({
      viewport: { width, height: 900 },
      before: async (page) => {
        await page.route('**/*.wasm', async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 300))
          await route.continue()
        })
      },
    })
    const moved = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => {
            resolve(list.getEntries().reduce((sum, entry) => sum + (entry as unknown as { value: number }).value, 0))
          }).observe({ type: 'layout-shift', buffered: true })
          setTimeout(() => resolve(0), 300)
        }),
    )
    expect(moved).toBeLessThan(0.01)
  })
}

test('the stage stays where it is when a mask with a slider is chosen', async () => {
  for (const width of [360, 768, 1440]) {
    const page = await open({ viewport: { width, height: 900 } })
    const top = async () => (await page.locator('attention-heads').boundingBox())?.y
    const before = await top()
    for (const mask of ['Window', 'Prefix', 'None']) {
      await choose(page, mask)
      expect(await top(), `${mask} at ${width}`).toBe(before)
    }
  }
})

test('static-serving: the wasm works as application/octet-stream', async () => {
  const page = await open({
    // Emscripten's loader says that it takes the slower way.
    tolerated: /wasm streaming compile failed|falling back to ArrayBuffer/,
    before: async (page) => {
      await page.route('**/*.wasm', async (route) => {
        const response = await route.fetch()
        await route.fulfill({
          response,
          headers: { ...response.headers(), 'content-type': 'application/octet-stream' },
        })
      })
    },
  })
  expect((await cells(page))[1]?.slice(0, 2)).toEqual(['0.368', '0.632'])
})

test('without WebAssembly SIMD a sentence says so', async () => {
  const page = await open({
    fails: true,
    before: (page) =>
      page.addInitScript(() => {
        WebAssembly.validate = () => false
      }),
  })
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toContain('no WebAssembly SIMD')
})

test('a core that does not come is said in a sentence', async () => {
  const page = await open({ fails: true, before: (page) => page.route('**/*.wasm', (route) => route.abort()) })
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/could not be loaded/)
})

test('what the core refuses is shown as its sentence', async () => {
  const page = await open()
  await page.locator('attention-playground').evaluate((widget) => {
    const { engine } = widget as HTMLElement & { engine: { trace: unknown } }
    engine.trace = () => {
      throw new Error('The core said no.')
    }
  })
  await step(page, 'Tokens', 1)
  expect(await page.getByRole('alert').textContent()).toBe('The core said no.')
})
