// The strip: every stage that the layer has, in order, by name and shape; choosing one
// shows it beside what it is made of.

import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { desk, expectCells, goTo, grid, overflow, phone, strip, title } from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

/** A button's name after what is written on it. */
const named = (label: string | null) => label?.replace(/^[^:]*: /, '')

const buttons = async (page: Page) =>
  (
    await strip(page)
      .getByRole('button')
      .evaluateAll((all) => all.map((button) => button.getAttribute('aria-label')))
  ).map(named)

const chosen = async (page: Page) =>
  named(await strip(page).locator('[aria-current="step"]').getAttribute('aria-label'))

test('it names every stage of the layer with its shape, in the order of the computation', async () => {
  const page = await open({ query: '?h=4&kv=2&d=2&dv=3&m=5&cap=2&t=4' })
  expect(await buttons(page)).toEqual([
    'Tokens x, B 1, T 4, M 5',
    'Context, B 1, S 6, M 5',
    'Wq, Hq·D 8, M 5',
    'Wk, Hkv·D 4, M 5',
    'Wv, Hkv·Dv 6, M 5',
    'Queries q, B 1, Hq 4, T 4, D 2',
    'Keys k, B 1, Hkv 2, S 6, D 2',
    'Values v, B 1, Hkv 2, S 6, Dv 3',
    'q·k, B 1, Hq 4, T 4, S 6',
    'Scores, B 1, Hq 4, T 4, S 6',
    'Capped scores, B 1, Hq 4, T 4, S 6',
    'Masked scores, B 1, Hq 4, T 4, S 6',
    'Weights, B 1, Hq 4, T 4, S 6',
    'Weights · v, B 1, Hq 4, T 4, Dv 3',
    'Heads merged, B 1, T 4, Hq·Dv 12',
    'Wo, N 5, Hq·Dv 12',
    'Output, B 1, T 4, N 5',
  ])
})

test('a button’s name begins with what is written on it', async () => {
  for (const size of [desk, phone]) {
    const page = await open(size)
    for (const button of await strip(page).getByRole('button').all()) {
      const written = ((await button.textContent()) ?? '').replace(/\s+/g, ' ').trim()
      expect((await button.getAttribute('aria-label'))?.split(': ')[0]).toBe(written)
    }
  }
})

for (const [name, size] of Object.entries({ desk, phone })) {
  test(`every stage can be chosen and shows its matrix and a card, ${name}`, async () => {
    const page = await open(size)
    for (const label of await buttons(page)) {
      const stage = (label as string).slice(0, (label as string).search(/, [A-Z]/))
      await goTo(page, stage)
      expect(await chosen(page)).toBe(label)
      const result = page.getByRole('heading', { level: 3 }).filter({ hasText: `${stage} [` })
      await expect.poll(() => result.count()).toBe(1)
      expect(await grid(page, stage).count(), stage).toBe(1)
      expect(await title(page), stage).toBeTruthy()
    }
  })
}

test('on a desk the whole chain stands in the window at once, left to right', async () => {
  const page = await open(desk)
  const boxes = await strip(page)
    .locator('li')
    .evaluateAll((items) => items.map((item) => item.getBoundingClientRect().toJSON() as DOMRect))
  expect(boxes).toHaveLength(11)
  boxes.reduce((before, box) => {
    expect(box.left).toBeGreaterThanOrEqual(before.right)
    return box
  })
  expect(boxes.at(-1)?.right).toBeLessThanOrEqual(1440)
  expect(Math.max(...boxes.map(({ bottom }) => bottom))).toBeLessThanOrEqual(900)
})

test('on a desk every stage has its shape beside its name or under its picture, and all of it has room', async () => {
  const query = '?h=16&kv=8&d=64&dv=32&m=256&s=64&t=32&cap=2'
  const page = await open({ viewport: { width: 1150, height: 900 }, query })
  expect(await strip(page).locator('.shape').allTextContents()).toEqual([
    ...['32 × 256', '64 × 256', '1024 × 256', '512 × 256', '256 × 256', '32 × 64', '64 × 64', '64 × 32'],
    ...['32 × 64', '32 × 64', '32 × 64', '32 × 64', '32 × 64', '32 × 32', '32 × 512', '256 × 512', '32 × 256'],
  ])
  expect(await overflow(page)).toBe(0)
  const last = await strip(page).locator('li').last().boundingBox()
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(1150)
})

test('on a phone the strip scrolls by itself to the stage that is chosen', async () => {
  const page = await open({ ...phone, query: '?stage=output' })
  const box = await strip(page).locator('[aria-current="step"]').boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360)
})

for (const [of, text] of [
  ['', ''],
  [', with a label that is cut, too', `&text=${'x'.repeat(300)}+journey+starts`],
] as const) {
  test(`a product stands between its factors: rows meet rows, columns meet columns${of}`, async () => {
    const page = await open({ ...desk, query: `?h=2&view=one&stage=dots${text}` })
    const box = async (name: string) => {
      const canvas = page
        .locator('attention-matrix')
        .filter({ has: grid(page, name) })
        .locator('canvas')
        .first()
      return (await canvas.boundingBox()) as { x: number; y: number; width: number; height: number }
    }
    const [left, result, above] = [await box('Queries q'), await box('q·k'), await box('Keys k')]
    expect(left.x + left.width).toBeLessThanOrEqual(result.x)
    expect(above.y + above.height).toBeLessThanOrEqual(result.y)
    expect([left.y, left.height]).toEqual([result.y, result.height])
    expect([above.x, above.width]).toEqual([result.x, result.width])
  })
}

test('a factor beside the stage leads to its own stage', async () => {
  const page = await open({ ...desk, query: '?stage=dots' })
  await page.getByRole('button', { name: /^Keys k ᵀ/ }).click()
  expect(await chosen(page)).toBe('Keys k, B 1, Hkv 1, S 6, D 3')
})

test('a stage that the layer has no more gives way to the weights', async () => {
  const page = await open({ query: '?cap=2&stage=capped' })
  expect(await chosen(page)).toMatch(/^Capped scores/)
  await page.getByRole('textbox', { name: 'Softcap (0: none), as a number' }).fill('0')
  await page.keyboard.press('Enter')
  await expect.poll(() => chosen(page)).toMatch(/^Weights,/)
  await expectCells(page, 'Weights', [
    ['1.000', ...Array(5).fill('hidden: causal rule')],
    ['0.368', '0.632', ...Array(4).fill('hidden: causal rule')],
    ['0.228', '0.389', '0.382', ...Array(3).fill('hidden: causal rule')],
    ['0.205', '0.296', '0.292', '0.208', ...Array(2).fill('hidden: causal rule')],
    ['0.175', '0.225', '0.227', '0.157', '0.216', 'hidden: causal rule'],
    ['0.138', '0.218', '0.213', '0.142', '0.099', '0.190'],
  ])
})

test('many rows and few columns are more than a line, and lit where they are; what is not held is its shape', async () => {
  const page = await open({ ...desk, query: '?s=512&stage=dots&cell=300,100&lock=1' })
  const picture = (stage: string) => page.locator(`attention-thumbnail[data-stage=${stage}]`)
  const box = async (locator: Locator) => (await locator.boundingBox()) as { x: number; width: number; height: number }
  for (const stage of ['x', 'q', 'k', 'v', 'output']) {
    const { width, height } = await box(picture(stage).locator('canvas'))
    expect([width, height > 30], stage).toEqual([12, true])
  }
  // A row of q, across the whole picture.
  const [lit, canvas] = [await box(picture('q').locator('.lit')), await box(picture('q').locator('canvas'))]
  expect([Math.round(lit.x - canvas.x), Math.round(lit.width)]).toEqual([0, 12])

  // Of two heads the pairs are not held; of one they are, and the mean of so many is nothing to see.
  for (const query of ['?s=2048&h=2&view=one', '?s=600']) {
    const large = await open({ ...desk, query })
    for (const stage of ['dots', 'scores', 'masked', 'weights']) {
      const path = large.locator(`attention-thumbnail[data-stage=${stage}] path`)
      expect(await path.getAttribute('d'), stage).toMatch(/^M .* Z$/)
    }
    expect(await large.locator('attention-thumbnail[data-stage=q] canvas').count()).toBe(1)
    await large.context().close()
  }
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the lines leave what is written free, ${colorScheme}`, async () => {
    const page = await open({ ...desk, colorScheme, query: '?h=2&stage=mixed&cell=1,0&lock=1' })
    const lines = strip(page).locator('svg')
    await expect.poll(() => lines.locator('path').count()).toBe(2)
    const captions = await strip(page).locator('.name, .shape').all()
    const seen = async () =>
      Promise.all(
        captions.map(async (caption) => {
          const clip = (await caption.boundingBox()) as { x: number; y: number; width: number; height: number }
          return (await page.screenshot({ clip })).toString('base64')
        }),
      )
    const withLines = await seen()
    await lines.evaluate((element) => element.setAttribute('visibility', 'hidden'))
    expect(await seen()).toEqual(withLines)
  })
}
