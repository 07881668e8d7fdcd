// The mask as rules that hold at once: each with its control, its predicate in words
// and as code, its picture, and cells that say which rule hides them.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { State } from '../../../web/src/lab/model/state.ts'
import { expectRightWeights } from '../support/expected.ts'
import {
  card,
  cell,
  cells,
  desk,
  focused,
  goTo,
  hover,
  middle,
  phone,
  press,
  slider,
  step,
  turn,
  type,
} from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

const item = (page: Page, rule: string) =>
  page.locator('attention-rules li').filter({ has: page.getByRole('checkbox', { name: rule, exact: true }) })

interface Case {
  readonly amounts?: Record<string, string>
  readonly says: string
  readonly code: string
  readonly hides: string
  readonly state: Partial<State>
  /** A cell that the rule hides. */
  readonly at: readonly [number, number]
}

const cases: Record<string, Case> = {
  'Sliding window': {
    amounts: { Width: '2', Sinks: '1' },
    says: 'A token sees the last 2, itself among them, and the first 1.',
    code: 'key <= query && (query - key < 2 || key < 1)',
    hides: 'window',
    state: { window: true, windowWidth: 2, sinks: 1 },
    at: [3, 1],
  },
  Prefix: {
    amounts: { Length: '3' },
    says: 'All see the first 3; the rest is causal.',
    code: 'key <= query || key < 3',
    hides: 'prefix',
    state: { prefix: true, prefixLength: 3 },
    at: [0, 4],
  },
  Documents: {
    says: 'A token sees its own document only.',
    code: 'documents[query] == documents[key]',
    hides: 'document',
    state: { documents: true },
    at: [4, 1],
  },
  'Block-sparse': {
    amounts: { 'Block size': '2', 'Local blocks': '1', 'Global stride': '2' },
    says: 'A token sees its own block, and of those before one in every 2.',
    code: 'key <= query && ',
    hides: 'block',
    state: { blocks: true, blockSize: 2, localBlocks: 1, globalStride: 2 },
    at: [4, 0],
  },
  Dilated: {
    amounts: { Reach: '5', Dilation: '2' },
    says: 'A token sees itself and one in every 2 positions back, within 5.',
    code: 'key <= query && query - key < 5 && (query - key) % 2 == 0',
    hides: 'dilated',
    state: { dilated: true, dilatedWidth: 5, dilation: 2 },
    at: [3, 2],
  },
}

for (const [rule, { amounts = {}, says, code, hides, state, at }] of Object.entries(cases)) {
  test(`${rule}: its amounts, words, code, picture, and the cells that it hides`, async () => {
    const page = await open(desk)
    await turn(page, 'Causal', false)
    await turn(page, rule)
    for (const [name, value] of Object.entries(amounts)) await type(page, name, value)
    const text = ((await item(page, rule).textContent()) ?? '').replace(/\s+/g, ' ')
    expect(text).toContain(says)
    expect(await item(page, rule).locator('code').textContent()).toContain(code)
    expect(await item(page, rule).locator('canvas').count()).toBe(1)
    await expectRightWeights(page, { causal: false, ...state })
    const hidden = (await cells(page, 'Weights'))[at[0]]?.[at[1]]
    expect(hidden).toMatch(/^hidden: /)
    expect(hidden).toContain(hides)
    await hover(page, 'Weights', ...at)
    const { steps, notes } = await card(page)
    expect(steps.mask).toBe('hidden = −∞')
    expect(notes[0]).toMatch(/^Hidden by .*the weight is 0\.$/)
    await expect.poll(() => page.locator('attention-legend ul').textContent()).toMatch(/hidden: /)
  })
}

const rulesOff = ['Sliding window', 'Prefix', 'Documents', 'Block-sparse', 'Dilated', 'Painted by hand']
for (const rule of rulesOff) {
  test(`${rule}: off it shows what it shows when it is turned on, in the same place`, async () => {
    const page = await open({ ...desk, query: '?causal=0' })
    const shown = () =>
      item(page, rule).evaluate((element) => {
        const { x, y } = element.getBoundingClientRect()
        const words = element.querySelector('.says')
        const picture = element.querySelector('attention-thumbnail')?.shadowRoot?.querySelector('canvas')
        return { x, y: y + scrollY, text: words?.textContent, picture: picture?.toDataURL() }
      })
    const off = await shown()
    expect(off.text).toMatch(/\.\s+[!\w]+(\[| <=)/)
    expect(off.picture?.length).toBeGreaterThan(100)
    await turn(page, rule)
    await page.getByText('No rule: every token').waitFor({ state: 'detached' })
    const on = await shown()
    if (rule === 'Painted by hand') expect(on).toEqual({ ...off, text: on.text })
    else expect(on).toEqual(off)
  })
}

test('rules that are off follow the tokens once the controls rest', async () => {
  const page = await open({ ...desk, query: '?w=5' })
  const window = item(page, 'Sliding window')
  const picture = () => window.locator('canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
  const code = () => window.locator('code').textContent()
  expect(await code()).toBe('key <= query && query - key < 5')
  const six = await picture()
  await type(page, 'Tokens (keys S)', '4')
  await expect.poll(picture).not.toBe(six)
  await expect.poll(code).toBe('key <= query && query - key < 4')
})

test('rules that are off are drawn as for few tokens where there are many, and it is said', async () => {
  const page = await open({ ...desk, query: '?s=512&w=100' })
  await item(page, 'Sliding window').locator('canvas').waitFor()
  expect(await item(page, 'Sliding window').textContent()).toContain('the last 100,')
  expect(await item(page, 'Sliding window').locator('code').textContent()).toBe('key <= query && query - key < 100')
  expect(await page.getByText('Rules that are off are drawn as for 64 tokens.').count()).toBe(1)
})

test('window-size: drawing, words, code and numbers agree', async () => {
  const page = await open()
  await turn(page, 'Sliding window')
  await step(page, 'Width', -1)
  const text = await item(page, 'Sliding window').textContent()
  expect(text).toContain('A token sees the last 2, itself among them.')
  expect(text).toContain('key <= query && query - key < 2')
  await expectRightWeights(page, { window: true, windowWidth: 2 })
  const shown = await cells(page, 'Weights')
  expect(shown[3]?.map((text) => text.startsWith('hidden'))).toEqual([true, true, false, false, true, true])
})

test('rules are combined: a cell names all that hide it, and the list says that all hold', async () => {
  const page = await open()
  await turn(page, 'Documents')
  await expectRightWeights(page, { documents: true })
  const shown = await cells(page, 'Weights')
  expect(shown[1]?.[4]).toMatch(/^hidden: causal.* and .*document/)
  expect(shown[4]?.[1]).not.toContain('causal')
  expect(await page.getByText('All that are on hold at once.').count()).toBe(1)
})

test('prefix beside the causal rule: it is said that the latter hides all the same', async () => {
  const page = await open()
  await turn(page, 'Prefix')
  expect(await item(page, 'Prefix').textContent()).toContain('The causal rule is on as well')
  await expectRightWeights(page, { causal: true, prefix: true })
  await turn(page, 'Causal', false)
  expect(await item(page, 'Prefix').textContent()).not.toContain('The causal rule is on as well')
})

test('without any rule it is said that all see all', async () => {
  const page = await open()
  await turn(page, 'Causal', false)
  expect(await page.getByText('No rule: every token sees every token.').count()).toBe(1)
  await expectRightWeights(page, { causal: false })
})

test('hidden cells differ by rule and by more than colour', async () => {
  const page = await open({ query: '?window=1&w=2' })
  /** The inner part of two cells as points that are darker than their mean, and others. */
  const patterns = await page.locator('attention-stage .result canvas').evaluate((element) => {
    const canvas = element as HTMLCanvasElement
    const { width, height } = canvas
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
    if (!context) throw new Error('no canvas')
    context.drawImage(canvas, 0, 0)
    const side = width / 6
    const inner = Math.floor(side) - 6
    return [
      [0, 4],
      [4, 0],
    ].map(([row = 0, column = 0]) => {
      const [x, y] = [Math.round(column * side) + 3, Math.round(row * side) + 3]
      const { data } = context.getImageData(x, y, inner, inner)
      const light = Array.from({ length: inner * inner }, (_, i) =>
        [0, 1, 2].reduce((sum, channel) => sum + (data[4 * i + channel] as number), 0),
      )
      const mean = light.reduce((a, b) => a + b) / light.length
      return light.map((value) => (value < mean - 4 ? '#' : '.')).join('')
    })
  })
  expect(patterns[0]).toContain('#')
  expect(patterns[1]).toContain('#')
  expect(patterns[0]).not.toBe(patterns[1])
})

test('paint: a stroke hides the cells that it crosses, and a stroke from a hidden one shows them', async () => {
  const page = await open({ ...desk, query: '?causal=0&paint=1&stage=masked' })
  const stroke = async () => {
    const from = await middle(page, 'Masked scores', 2, 1)
    const to = await middle(page, 'Masked scores', 2, 4)
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 3 })
    await page.mouse.up()
  }
  await stroke()
  const painted = new Set(['2.1', '2.2', '2.3', '2.4'])
  await expect
    .poll(async () => (await cells(page, 'Masked scores'))[2]?.map((text) => text.startsWith('hidden')))
    .toEqual([false, true, true, true, true, false])
  expect((await cells(page, 'Masked scores'))[2]?.[2]).toContain('paint')
  await expectRightWeights(page, { causal: false, painted: true, paintedCells: painted })
  await goTo(page, 'Masked scores')
  await stroke()
  await expectRightWeights(page, { causal: false, painted: true })
})

test('paint: a stroke is one step back, however slow, and the next one is another', async () => {
  const page = await open({ ...desk, query: '?causal=0&paint=1&stage=masked' })
  const painted = () => new URL(page.url()).searchParams.get('cells')
  const stroke = async (row: number, rest: number) => {
    for (const column of [1, 2, 3]) {
      const { x, y } = await middle(page, 'Masked scores', row, column)
      await page.mouse.move(x, y)
      if (column === 1) await page.mouse.down()
      await page.waitForTimeout(rest)
    }
    await page.mouse.up()
  }
  await stroke(2, 800)
  await stroke(4, 0)
  await expect.poll(painted).toBe('2.1,2.2,2.3,4.1,4.2,4.3')
  await press(page, 'Undo')
  await expect.poll(painted).toBe('2.1,2.2,2.3')
  await press(page, 'Undo')
  await expect.poll(painted).toBeNull()
  // Who has undone the last step is still at the button.
  expect(await focused(page)).toBe('Undo')
})

test('paint: a stroke that begins where nothing changes is a step of its own all the same', async () => {
  const page = await open({ ...desk, query: '?paint=1&stage=masked' })
  const painted = () => new URL(page.url()).searchParams.get('cells')
  const stroke = async (columns: readonly number[]) => {
    for (const column of columns) {
      const { x, y } = await middle(page, 'Masked scores', 4, column)
      await page.mouse.move(x, y)
      if (column === columns[0]) await page.mouse.down()
    }
    await page.mouse.up()
  }
  await stroke([1, 2, 3])
  // The causal rule hides the first of these, so the stroke shows.
  await stroke([5, 4, 3, 2, 1])
  await expect.poll(painted).toBeNull()
  await press(page, 'Undo')
  await expect.poll(painted).toBe('4.1,4.2,4.3')
  await press(page, 'Undo')
  await expect.poll(painted).toBeNull()
})

test('paint: Space on a cell, and everything wiped off', async () => {
  const page = await open({ query: '?causal=0&paint=1&stage=masked' })
  await cell(page, 'Masked scores', 1, 3).focus()
  await page.keyboard.press('Space')
  await expect.poll(async () => (await cells(page, 'Masked scores'))[1]?.[3]).toMatch(/^hidden: .*paint/)
  await press(page, 'Wipe the paint off')
  await expect.poll(async () => (await cells(page, 'Masked scores'))[1]?.[3]).not.toMatch(/^hidden/)
})

test('full-mask-row: a query that sees nothing has weights of zero, and says so in its card', async () => {
  const cellsOfRow = Array.from({ length: 6 }, (_, key) => `2.${key}`).join(',')
  const page = await open({ ...phone, query: `?causal=0&paint=1&cells=${cellsOfRow}` })
  expect((await cells(page, 'Weights'))[2]?.every((text) => text.startsWith('hidden'))).toBe(true)
  await cell(page, 'Weights', 2, 0).focus()
  const { steps } = await card(page)
  expect(steps.softmax).toMatch(/= 0\.0000$/)
  expect(JSON.stringify(steps)).not.toMatch(/NaN/)
})

test('window-size: words, code and control have the same width when there are fewer tokens', async () => {
  const page = await open({ query: '?s=4&window=1&w=50' })
  const rules = page.locator('attention-rules')
  expect(await slider(page, 'Width').getAttribute('aria-valuetext')).toBe('4')
  expect(await rules.getByText('A token sees the last 4, itself among them.').count()).toBe(1)
  expect(await item(page, 'Sliding window').getByText('query - key < 4').count()).toBe(1)
})

test('a rule that differs from sequence to sequence is drawn as for the one that is shown', async () => {
  const page = await open({ query: '?pos=padding&len=3' })
  const picture = () =>
    page
      .locator('attention-rules li', { hasText: 'padding' })
      .locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
  const first = await page.locator('attention-rules li', { hasText: 'padding' }).count()
  expect(first).toBe(1)
  const before = await picture()
  await step(page, 'Sequence', 1)
  await expect.poll(picture).not.toBe(before)
})
