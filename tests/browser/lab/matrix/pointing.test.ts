// Mouse and finger: pointing, picking, the lens, painting, editing.

import { expect, test } from 'vitest'
import {
  centre,
  fired,
  numbered,
  set,
  settled,
  showGiven,
  showTraced,
  sixTokens,
  told,
  useMatrices,
} from '../../support/matrices.ts'

const open = useMatrices()

test('the mouse points, leaves and picks', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens })
  const [one, other] = [await centre(page, 1, 2, 6, 6), await centre(page, 4, 0, 6, 6)]
  await page.mouse.move(one.x, one.y)
  await page.mouse.move(one.x + 3, one.y + 3)
  await page.mouse.move(other.x, other.y)
  await page.mouse.click(other.x, other.y)
  await page.mouse.move(2, 2)
  const events = await fired(page)
  expect(events.filter(({ type }) => type === 'point').map(({ detail }) => detail)).toEqual([
    { row: 1, column: 2 },
    { row: 4, column: 0 },
    // The click brings the keyboard's focus here.
    { row: 4, column: 0 },
    null,
  ])
  expect(events.filter(({ type }) => type === 'pick')).toEqual([{ type: 'pick', detail: { row: 4, column: 0 } }])
})

test('the labels of the pointed cell are lit', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens })
  const { x, y } = await centre(page, 1, 2, 6, 6)
  await page.mouse.move(x, y)
  await settled(page)
  expect(await page.locator('attention-matrix .labels .at').allTextContents()).toEqual(['starts', 'journey'])
})

test('a tap picks', async () => {
  const page = await open({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 800 } })
  await showTraced(page, { tokens: sixTokens })
  const { x, y } = await centre(page, 3, 1, 6, 6)
  await page.touchscreen.tap(x, y)
  expect((await fired(page)).filter(({ type }) => type === 'pick')).toEqual([
    { type: 'pick', detail: { row: 3, column: 1 } },
  ])
})

test('the lens shows the neighbourhood of the pointed cell, with its numbers’ digits', async () => {
  const page = await open()
  const tokens = numbered(512)
  await showTraced(page, { tokens }, { properties: { range: { min: 0, max: 0.1 } } })
  expect(await page.locator('.magnified').count()).toBe(0)
  const { x, y } = await centre(page, 300, 100, 512, 512)
  await page.mouse.move(x, y)
  await settled(page)
  const lens = page.locator('.magnified')
  expect(await lens.isVisible()).toBe(true)
  expect(await lens.locator('.labels.row span').allTextContents()).toEqual(['t298', 't299', 't301', 't302', 't300'])
  expect(await lens.locator('.labels.column .at').textContent()).toBe('t100')
  // The cells of the lens are those of the matrix.
  const same = await page
    .locator('attention-matrix')
    .first()
    .evaluate((element) => {
      type Shown = HTMLElement & { matrix: import('../../../../web/src/lab/model/stage.ts').Matrix }
      const whole = (element as Shown).matrix
      const matrix = (element.shadowRoot?.querySelector('.magnified attention-matrix') as Shown | null)?.matrix ?? whole
      const at = (m: Shown['matrix'], row: number, column: number) =>
        m.stage.values[m.offset + row * m.rowStride + column * m.columnStride]
      return [
        [matrix.rows, matrix.columns],
        [at(matrix, 2, 3), at(whole, 300, 100)],
        [at(matrix, 0, 0), at(whole, 298, 97)],
      ]
    })
  expect(same[0]).toEqual([5, 7])
  expect(same[1]?.[0]).toBe(same[1]?.[1])
  expect(same[2]?.[0]).toBe(same[2]?.[1])
  await page.mouse.move(2, 2)
  await settled(page)
  expect(await page.locator('.magnified').count()).toBe(0)
})

test('the lens follows the keyboard, and stays in the window at the edges, on a phone too', async () => {
  const page = await open({ viewport: { width: 360, height: 640 } })
  await showTraced(page, { tokens: numbered(512) })
  await page.keyboard.press('Tab')
  for (const keys of [['Control+Home'], ['End'], ['Control+End'], ['Home']]) {
    for (const key of keys) await page.keyboard.press(key)
    await settled(page)
    const lens = await page.locator('.magnified').boundingBox()
    const focus = await page.locator('attention-matrix .focus').first().boundingBox()
    if (!lens || !focus) throw new Error(`There is no lens after ${keys}.`)
    expect(lens.x, keys.join()).toBeGreaterThanOrEqual(0)
    expect(lens.y, keys.join()).toBeGreaterThanOrEqual(0)
    expect(lens.x + lens.width, keys.join()).toBeLessThanOrEqual(360)
    expect(lens.y + lens.height, keys.join()).toBeLessThanOrEqual(640)
    const apart =
      lens.x > focus.x + focus.width ||
      focus.x > lens.x + lens.width ||
      lens.y > focus.y + focus.height ||
      focus.y > lens.y + lens.height
    expect(apart, `${keys}: the lens covers its cell`).toBe(true)
  }
})

test('while one paints, the lens leaves the whole picture free', async () => {
  for (const [width, room] of [
    [1100, 500],
    [360, 330],
  ] as const) {
    const page = await open({ viewport: { width, height: 800 } })
    await showTraced(page, { tokens: numbered(100) }, { properties: { painting: true, room } })
    const picture = await page.locator('attention-matrix .cells').first().boundingBox()
    for (const [row, column] of [
      [50, 10],
      [50, 90],
    ] as const) {
      const { x, y } = await centre(page, row, column, 100, 100)
      await page.mouse.move(x, y)
      await settled(page)
      const lens = await page.locator('.magnified').boundingBox()
      if (!lens || !picture) throw new Error('There is no lens.')
      const apart =
        lens.x > picture.x + picture.width ||
        picture.x > lens.x + lens.width ||
        lens.y > picture.y + picture.height ||
        picture.y > lens.y + lens.height
      expect(apart, `${width} pixels, column ${column}`).toBe(true)
    }
  }
})

test('a drag paints every cell on its way once, however fast', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens }, { properties: { painting: true } })
  const [from, to] = [await centre(page, 5, 0, 6, 6), await centre(page, 5, 4, 6, 6)]
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 1 })
  await page.mouse.up()
  await page.mouse.move(from.x, from.y)
  const events = await fired(page)
  expect(events.filter(({ type }) => type === 'paint').map(({ detail }) => detail)).toEqual(
    [0, 1, 2, 3, 4].map((column) => ({ row: 5, column, hide: true, begins: column === 0 })),
  )
  expect(events.filter(({ type }) => type === 'pick')).toEqual([])
})

test('a stroke that begins on a hidden cell shows, and so does Space', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens }, { properties: { painting: true } })
  const { x, y } = await centre(page, 0, 3, 6, 6)
  await page.mouse.click(x, y)
  await settled(page)
  await page.keyboard.press(' ')
  await page.keyboard.press('Home')
  await settled(page)
  await page.keyboard.press(' ')
  expect((await fired(page)).filter(({ type }) => type === 'paint').map(({ detail }) => detail)).toEqual([
    { row: 0, column: 3, hide: false, begins: true },
    { row: 0, column: 3, hide: false, begins: true },
    { row: 0, column: 0, hide: true, begins: true },
  ])
})

const input = 'attention-matrix input'

test('Enter edits a cell: the number as it is, then the new one', async () => {
  const page = await open()
  await showGiven(page, [[0.43, 1]], { stage: { name: 'x' }, properties: { editable: true } })
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await page.locator(input).inputValue()).toBe('0.43')
  expect(await page.locator(input).getAttribute('aria-label')).toBe('row 0, column 0')
  await page.keyboard.type('−1.5')
  await page.keyboard.press('Enter')
  await settled(page)
  expect(await page.locator(input).count()).toBe(0)
  expect((await fired(page)).filter(({ type }) => type === 'edit')).toEqual([
    { type: 'edit', detail: { row: 0, column: 0, value: -1.5 } },
  ])
  // The focus is back on the cell.
  await page.keyboard.press('ArrowRight')
  expect((await fired(page)).at(-1)).toEqual({ type: 'point', detail: { row: 0, column: 1 } })
})

test('slider-steps: a comma is a decimal point, or is asked about; never left out', async () => {
  const page = await open()
  await showGiven(page, [[2]], { stage: { name: 'x' }, properties: { editable: true } })
  await page.keyboard.press('Tab')
  for (const [typed, answer] of [
    ['1,000', 'This could be one or a thousand. Write 1.0 or 1000.'],
    ['five', 'This is not a number. Write it like 0.5 or −1.25.'],
    ['1e60', 'This is too large for a 32-bit number.'],
    ['', 'Type a number, or press Escape.'],
  ] as const) {
    await page.keyboard.press('Enter')
    await page.locator(input).fill(typed)
    await page.keyboard.press('Enter')
    expect(await page.getByRole('alert').textContent()).toBe(answer)
    expect(await page.locator(input).inputValue()).toBe(typed)
    await page.keyboard.press('Escape')
    await settled(page)
    expect(await page.locator(input).count()).toBe(0)
  }
  expect((await fired(page)).filter(({ type }) => type === 'edit' || type === 'free')).toEqual([])
  await page.keyboard.press('Enter')
  await page.locator(input).fill('0,5')
  await page.keyboard.press('Enter')
  expect((await fired(page)).filter(({ type }) => type === 'edit').map(({ detail }) => detail)).toEqual([
    { row: 0, column: 0, value: 0.5 },
  ])
})

test('who goes on takes a number along, and leaves what is none', async () => {
  const page = await open()
  await showGiven(page, [[1, 2]], { stage: { name: 'x' }, properties: { editable: true } })
  const { x, y } = await centre(page, 0, 1, 1, 2)
  const edit = async (text: string) => {
    await page.mouse.dblclick(x, y)
    await page.locator(input).fill(text)
    await page.locator(input).evaluate((element: HTMLInputElement) => element.blur())
    await settled(page)
  }
  await edit('oops')
  await edit('7')
  expect((await fired(page)).filter(({ type }) => type === 'edit').map(({ detail }) => detail)).toEqual([
    { row: 0, column: 1, value: 7 },
  ])
})

test('what is not editable is not edited', async () => {
  const page = await open()
  await showGiven(page, [[1, 2]])
  const { x, y } = await centre(page, 0, 1, 1, 2)
  await page.mouse.dblclick(x, y)
  await page.keyboard.press('F2')
  expect(await page.locator(input).count()).toBe(0)
})

test('a matrix that shrinks keeps its focus and forgets what is gone', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens })
  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+End')
  await settled(page)
  await page.evaluate(() => {
    const { matrices } = window
    const element = document.querySelector('matrix-host')?.shadowRoot?.querySelector('attention-matrix')
    const tokens = ['a', 'b']
    const matrix = matrices.matrixOf(matrices.traced({ tokens }, 'weights'))
    Object.assign(element as object, { matrix, rowLabels: tokens, columnLabels: tokens })
  })
  await settled(page)
  expect(await told(page)).toHaveLength(3)
  expect(await page.locator('td[tabindex="0"]').textContent()).toMatch(/^0\.\d{3}$/)
  await set(page, { marked: { row: 0, column: 0 } })
  expect(await page.locator('attention-matrix .marked').count()).toBe(1)
})
