// The page as a whole: it fits, it stands still, it says so when it cannot work.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cells, choose, goTo, overflow, slider, step, turn } from './support/lab.ts'
import { useSite } from './support/site.ts'

const open = useSite()

test('it has a title, a language and one main heading', async () => {
  const page = await open()
  expect(await page.title()).toBe('Attention playground')
  expect(await page.locator('html').getAttribute('lang')).toBe('en')
  expect(await page.locator('h1').allTextContents()).toEqual(['Attention playground'])
})

for (const width of [320, 360, 768, 1440]) {
  test(`nothing makes the page scroll sideways at ${width} px`, async () => {
    const page = await open({ viewport: { width, height: 800 } })
    expect(await overflow(page), 'at first').toBe(0)
    for (const rule of ['Sliding window', 'Prefix', 'Documents', 'Block-sparse', 'Dilated', 'Painted by hand']) {
      await turn(page, rule)
    }
    expect(await overflow(page), 'all rules').toBe(0)
    for (const stage of ['Tokens x', 'Queries q', 'Output']) {
      await goTo(page, stage)
      expect(await overflow(page), stage).toBe(0)
    }
    await step(page, 'Query heads', 3)
    expect(await overflow(page), 'four heads').toBe(0)
    await goTo(page, 'Weights')
    await slider(page, 'Head dim D').press('End')
    await slider(page, 'Tokens (keys S)').press('End')
    expect(await overflow(page), 'all at its largest').toBe(0)
  })
}

/** How much of the window moved by itself since the page was opened, as the browser counts it. */
const shift = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          resolve(list.getEntries().reduce((sum, entry) => sum + (entry as unknown as { value: number }).value, 0))
        }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(0), 500)
      }),
  )

/** The state that the page has numbers for, and others that wait for the core. */
const links = ['', '?window=1', '?h=4', '?s=64&h=8&kv=2', '?pos=padding&b=1&docs=1', '?s=512', '?x=random&stage=masked']

for (const width of [360, 768, 1440]) {
  test(`nothing moves while the core is being loaded, at ${width} px`, async () => {
    for (const query of links) {
      const page = await open({
        query,
        viewport: { width, height: 900 },
        before: async (page) => {
          await page.route('**/*.wasm', async (route) => {
            await new Promise((resolve) => setTimeout(resolve, 300))
            await route.continue()
          })
        },
      })
      // 0.1 is what a reader begins to notice (web.dev/cls); a line of text that moves at the edge is 0.01.
      expect(await shift(page), query).toBeLessThan(0.01)
    }
  })
}

test('while the core is being loaded the page says so, and nothing that is untrue', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  const page = await open({
    query: '?window=1',
    ready: (page) => page.getByText('The core is being loaded…').waitFor(),
    before: (page) => page.route('**/*.wasm', (route) => held.then(() => route.continue())),
  })
  expect(await page.getByText('No rule: every token sees every token.').count()).toBe(0)
  answer()
  await page.getByText('Computed by').waitFor()
  await page.getByText('All that are on hold at once.').waitFor()
})

test('the stage keeps its place when a rule is turned on, and when a control refuses', async () => {
  for (const width of [360, 768, 1440]) {
    const page = await open({ viewport: { width, height: 900 } })
    // Its place in the page; where it stays in the window, that is another than where it is seen.
    const top = async () =>
      page.locator('attention-playground .body').evaluate((body) => body.getBoundingClientRect().top + scrollY)
    const before = await top()
    for (const rule of ['Sliding window', 'Prefix', 'Dilated']) {
      await turn(page, rule)
      expect(await top(), `${rule} at ${width}`).toBe(before)
    }
    await choose(page, 'Scale', 'own')
    await page.getByRole('textbox', { name: 'Own scale, as a number' }).fill('x')
    await page.keyboard.press('Enter')
    expect(await top(), `a refusal at ${width}`).toBe(before)
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
  expect((await cells(page, 'Weights'))[1]?.slice(0, 2)).toEqual(['0.368', '0.632'])
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

test('a core that does not come is said in a sentence, and the controls still say what they are', async () => {
  const page = await open({ fails: true, before: (page) => page.route('**/*.wasm', (route) => route.abort()) })
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/could not be loaded/)
  expect(await slider(page, 'Query heads').isVisible()).toBe(true)
})

test('what the core refuses is shown as its sentence, and the next change works', async () => {
  const page = await open()
  await page.locator('attention-playground').evaluate((widget) => {
    const { engine } = widget as HTMLElement & { engine: { traceMultiHead: unknown } }
    const computes = engine.traceMultiHead
    engine.traceMultiHead = () => {
      engine.traceMultiHead = computes
      throw new Error('The core said no.')
    }
  })
  await step(page, 'Tokens (keys S)', 1)
  expect(await page.getByRole('alert').textContent()).toBe('The core said no.')
  await step(page, 'Tokens (keys S)', 1)
  await expect.poll(async () => (await cells(page, 'Weights')).length).toBe(8)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('one WebAssembly build is loaded, and nothing that is only for exports', async () => {
  const requests: string[] = []
  await open({
    before: async (page) => {
      page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    },
  })
  expect(requests.filter((path) => path.endsWith('.wasm'))).toHaveLength(1)
  expect(requests.filter((path) => /export/.test(path))).toEqual([])
})
