// One head large or all as small multiples; query heads in the frame of the KV head
// that they read.

import { expect, test } from 'vitest'
import {
  card,
  cells,
  choose,
  desk,
  expectCells,
  goTo,
  grid,
  hover,
  inspector,
  slider,
  step,
  title,
  type,
} from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

test('all heads are small multiples, grouped by KV head, with the map that is computed with', async () => {
  const page = await open({ ...desk, query: '?h=4&kv=2' })
  for (const [kvHead, heads] of [
    [0, [0, 1]],
    [1, [2, 3]],
  ] as const) {
    const frame = page.getByRole('region', { name: `KV head ${kvHead}` })
    const names = await frame.getByRole('grid').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
    expect(names).toEqual(heads.map((head) => `Weights, Query head ${head}`))
  }
  await hover(page, 'Weights, Query head 3', 1, 0)
  await expect.poll(async () => (await card(page)).where).toContain('query head 3 reading KV head 1')
})

test('two heads stand side by side on a desk', async () => {
  for (const query of ['?h=2', '?h=2&kv=1']) {
    const page = await open({ ...desk, query })
    const boxes = await page
      .locator('attention-matrices canvas')
      .evaluateAll((all) => all.map((canvas) => canvas.getBoundingClientRect().toJSON() as DOMRect))
    expect(boxes).toHaveLength(2)
    expect(boxes[0]?.top).toBe(boxes[1]?.top)
    await page.context().close()
  }
})

test('a head alone stands large beside what it is made of, and all come back', async () => {
  const page = await open({ ...desk, query: '?h=4&kv=2' })
  const third = await cells(page, 'Weights, Query head 2')
  await page.getByRole('button', { name: 'Query head 2' }).click()
  await expect.poll(() => grid(page, 'Weights').count()).toBe(1)
  expect(await cells(page, 'Weights')).toEqual(third)
  await goTo(page, 'Keys k')
  await inspector(page).getByText('KV head 1').waitFor()
  await goTo(page, 'Weights')
  await choose(page, 'Heads', 'All')
  await expect.poll(() => page.getByRole('grid', { name: /^Weights, Query head/ }).count()).toBe(4)
})

test('the one head is chosen by its slider, and of heads that cannot all be drawn too', async () => {
  const page = await open({ ...desk, query: '?h=4&kv=2' })
  const last = await cells(page, 'Weights, Query head 3')
  expect(await slider(page, 'Query head').count()).toBe(0)
  await choose(page, 'Heads', 'One')
  await step(page, 'Query head', 3)
  await expect.poll(() => page.getByRole('heading', { name: /^Weights query head 3/ }).count()).toBe(1)
  await expectCells(page, 'Weights', last)
  await choose(page, 'Heads', 'All')
  // Whatever is asked for, a schematic is of one head.
  await type(page, 'Tokens (keys S)', '1024')
  await step(page, 'Query head', -1)
  await expect.poll(() => page.getByRole('heading', { name: /^Weights query head 2/ }).count()).toBe(1)
})

test('what has no heads has no choice of heads', async () => {
  const page = await open({ ...desk, query: '?h=4&kv=2&stage=merged' })
  await grid(page, 'Heads merged').waitFor()
  const choice = page.getByRole('group', { name: 'Heads', exact: true })
  expect(await choice.count()).toBe(0)
  await goTo(page, 'Weights')
  await expect.poll(() => choice.count()).toBe(1)
})

test('stages of KV heads have as many matrices as there are KV heads', async () => {
  const page = await open({ ...desk, query: '?h=4&kv=2&stage=k' })
  expect(await page.getByRole('grid', { name: /^Keys k, KV head/ }).count()).toBe(2)
  await goTo(page, 'Queries q')
  await expect.poll(() => page.getByRole('grid', { name: /^Queries q, Query head/ }).count()).toBe(4)
  await goTo(page, 'Heads merged')
  await expect.poll(() => grid(page, 'Heads merged').count()).toBe(1)
})

test('gqa-map: query heads 0 and 1 show what KV head 0 gives them', async () => {
  // One feature a head; values 10 and 20 for KV heads 0 and 1, one token.
  const page = await open({ ...desk, query: '?s=1&h=4&kv=2&d=1&m=2&xe=0.0:10,0.1:20&stage=merged' })
  expect(await cells(page, 'Heads merged')).toEqual([['10', '10', '20', '20']])
})

test('a merged cell has its sources in the strip, whichever head it comes from', async () => {
  const page = await open({ ...desk, query: '?h=2&stage=merged' })
  for (const column of [0, 4]) {
    await hover(page, 'Heads merged', 2, column)
    await expect.poll(() => title(page)).toContain(String(column))
    const source = page.locator('attention-thumbnail[data-stage=mixed] .lit')
    await expect.poll(() => source.count(), { message: `column ${column}` }).toBe(1)
    // The third row of its own head.
    const at = (side: string) => source.evaluate((box, side) => (box as HTMLElement).style.getPropertyValue(side), side)
    expect([await at('--row'), await at('--column')]).toEqual(['2', String(column % 3)])
  }
})

test('beside the merged heads stands the head whose column is pointed at, lit, and nothing moves', async () => {
  for (const [width, heads] of [
    [1440, 2],
    [1440, 12],
    [768, 12],
  ] as const) {
    const page = await open({ viewport: { width, height: 900 }, query: `?h=${heads}&kv=1&d=2&dv=2&stage=merged` })
    const beside = page.locator('attention-stage .left')
    const boxes = () =>
      page
        .locator('attention-stage attention-matrix')
        .evaluateAll((all) => all.map((matrix) => JSON.stringify(matrix.getBoundingClientRect())))
    await hover(page, 'Heads merged', 2, 0)
    const before = await boxes()
    expect(before).toHaveLength(2)
    for (const head of [1, heads - 1]) {
      await hover(page, 'Heads merged', 2, head * 2 + 1)
      await beside.getByRole('button', { name: new RegExp(`^Weights · v query head ${head}\\s`) }).waitFor()
      const lit = beside.locator('.lit')
      expect(await lit.count()).toBe(1)
      const at = (side: string) => lit.evaluate((box, side) => (box as HTMLElement).style.getPropertyValue(side), side)
      expect([await at('--row'), await at('--column')]).toEqual(['2', '1'])
      expect(await boxes(), `head ${head} of ${heads}, ${width} pixels`).toEqual(before)
    }
    await page.context().close()
  }
})

test('on a desk the head that is looked at has what it is made of below all, lit, where that is seen at once', async () => {
  const page = await open({ ...desk, query: '?h=2&stage=dots' })
  const boxes = () =>
    page
      .locator('attention-stage attention-matrix')
      .evaluateAll((all) => all.map((matrix) => JSON.stringify(matrix.getBoundingClientRect())))
  const before = await boxes()
  expect(before).toHaveLength(4)
  for (const head of [1, 0]) {
    await hover(page, `q·k, Query head ${head}`, 3, 2)
    const left = page.locator('attention-stage .left')
    await left.getByRole('button', { name: `Queries q query head ${head}` }).waitFor()
    for (const [role, side, at] of [
      ['left', '--row', '3'],
      ['above', '--column', '2'],
    ] as const) {
      const lit = page.locator(`attention-stage .${role} .lit`)
      await expect.poll(() => lit.count()).toBe(1)
      expect(await lit.evaluate((box, side) => (box as HTMLElement).style.getPropertyValue(side), side)).toBe(at)
    }
    expect(await boxes()).toEqual(before)
  }
  // Side by side, and so that the stage stays in sight.
  for (const [width, height] of [
    [1366, 768],
    [1366, 650],
    [1120, 768],
    [1440, 900],
  ] as const) {
    for (const stage of ['weights', 'dots', 'mixed', 'q']) {
      const small = await open({ viewport: { width, height }, query: `?h=2&stage=${stage}` })
      await expect.poll(() => small.locator('attention-stage attention-matrix').count()).toBeGreaterThan(1)
      const message = `${stage}, ${width} by ${height}`
      expect(await small.locator('attention-stage').evaluate((stage) => stage.clientHeight), message).toBeLessThan(
        height,
      )
      const tops = await small
        .locator('attention-stage .below attention-matrix')
        .evaluateAll((all) => all.map((matrix) => Math.round(matrix.getBoundingClientRect().bottom)))
      expect(new Set(tops).size, message).toBeLessThan(2)
      await small.context().close()
    }
  }
  // Four heads are as high as a small desk's window.
  const four = await open({ ...desk, query: '?h=4&stage=dots' })
  await grid(four, 'q·k, Query head 3').waitFor({ state: 'attached' })
  expect(await four.locator('attention-stage attention-matrix').count()).toBe(4)
})

test('any head that is pointed at has its sources in the strip, and a legend of what it holds', async () => {
  const page = await open({ query: '?h=4&kv=2' })
  for (const head of [0, 1, 3]) {
    await hover(page, `Weights, Query head ${head}`, 2, 1)
    await expect.poll(() => title(page)).toContain('starts')
    const flows = page.locator('attention-strip').locator('svg path')
    await expect.poll(() => flows.count(), { message: `head ${head}` }).toBeGreaterThan(0)
    expect(await page.locator('attention-thumbnail[data-stage=masked] .lit').count(), `head ${head}`).toBe(1)
  }
  const strange = await open({ query: '?h=2&xe=0.3:3e38&wqe=3.3:3e38&causal=0' })
  await strange.locator('attention-legend').getByText('not a number').waitFor()
})

test('the title of a head that needs two lines keeps together what the head reads', async () => {
  for (const viewport of [{ width: 768, height: 900 }, desk.viewport]) {
    const page = await open({ viewport, query: '?h=4&stage=q' })
    const titles = page.locator('attention-matrices button')
    await expect.poll(() => titles.count()).toBe(4)
    const lines = await titles.evaluateAll((titles) =>
      titles.map((title) =>
        Array.from(title.children, (part) => new Set(Array.from(part.getClientRects(), ({ top }) => top)).size),
      ),
    )
    expect(lines, `${viewport.width} px`).toEqual(Array(4).fill([1, 1]))
    await page.context().close()
  }
})
