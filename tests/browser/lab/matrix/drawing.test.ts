// What is on the canvas: colours, patterns, digits, sharpness.

import { expect, test } from 'vitest'
import { paletteOf } from '../../../../web/src/lab/matrix/palette.ts'
import {
  centre,
  colourOf,
  numbered,
  pictureOf,
  set,
  settled,
  showGiven,
  showTraced,
  sixTokens,
  useMatrices,
} from '../../support/matrices.ts'

const open = useMatrices()

/** A colour of the palette as pictureOf() writes it. */
const written = (css: string | undefined) => `${css?.match(/\d+/g)?.join(' ')} 255`

for (const colorScheme of ['light', 'dark'] as const) {
  const dark = colorScheme === 'dark'

  test(`colour-range: 0, a third and 1 have the palette's colours, flat, ${colorScheme}`, async () => {
    const page = await open({ colorScheme })
    const third = 1 / 3
    await showGiven(page, [
      [third, third, third],
      [0, 0, 0],
      [0, 1, 0],
    ])
    const picture = await pictureOf(page, 3, 3)
    const { css } = paletteOf(dark).sequential
    const drawn = [0, 1, 2].map((row) => [0, 1, 2].map((column) => colourOf(picture.cell(row, column))))
    const [zero, flat, one] = [css[0], css[85], css[255]].map(written)
    expect(drawn).toEqual([
      [flat, flat, flat],
      [zero, zero, zero],
      [zero, one, zero],
    ])
  })

  test(`colour-range: signed numbers have two hues around zero, ${colorScheme}`, async () => {
    const page = await open({ colorScheme })
    await showGiven(page, [[-2, -1, 0, 1, 2]], {
      stage: { name: 'scores' },
      properties: { range: { min: -2, max: 2 } },
    })
    const picture = await pictureOf(page, 1, 5)
    const { css } = paletteOf(dark).diverging
    const drawn = [0, 1, 2, 3, 4].map((column) => colourOf(picture.cell(0, column)))
    expect(drawn).toEqual([css[0], css[Math.round(255 - 127.5)], css[255], css[383], css[510]].map(written))
  })
}

test('the engine’s weights have the colours of their numbers', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens })
  const picture = await pictureOf(page, 6, 6)
  const { css } = paletteOf(false).sequential
  // 1, 0.368 and 0.190 in the worked example.
  expect(colourOf(picture.cell(0, 0))).toBe(written(css[255]))
  expect(colourOf(picture.cell(1, 0))).toBe(written(css[Math.round(0.3679 * 255)]))
  expect(colourOf(picture.cell(5, 5))).toBe(written(css[Math.round(0.19 * 255)]))
})

test('colour-range: NaN and infinity look like nothing else, with digits and without', async () => {
  const page = await open()
  for (const room of [400, 120, 64]) {
    const values = [
      [0, 0.5, 1],
      [Number.NaN, Number.POSITIVE_INFINITY, 0.25],
    ]
    const hiddenBy = Uint8Array.of(0, 0, 0, 0, 0, 1)
    await showGiven(page, values, { properties: { room } })
    await page.locator('attention-matrix').evaluate((element, hiddenBy) => {
      const matrix = (element as HTMLElement & { matrix: import('../../../../web/src/lab/model/stage.ts').Matrix })
        .matrix
      Object.assign(element, { matrix: { ...matrix, stage: { ...matrix.stage, hiddenBy: Uint8Array.from(hiddenBy) } } })
    }, Array.from(hiddenBy))
    await settled(page)
    const picture = await pictureOf(page, 2, 3)
    const cells = [0, 1].flatMap((row) => [0, 1, 2].map((column) => picture.cell(row, column, 0).join()))
    expect(new Set(cells).size, `in ${room} pixels`).toBe(6)
  }
})

test('hidden cells differ by more than colour, and by rule', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens, problem: { window: 2 } })
  const picture = await pictureOf(page, 6, 6)
  const colours = (row: number, column: number) => new Set(picture.cell(row, column, 6))
  const patterns = [picture.cell(0, 3, 6), picture.cell(5, 1, 6)].map((pixels) => pixels.join())
  expect(patterns[0]).not.toBe(patterns[1])
  // A pattern has its ground and its lines, in the same two colours for every rule.
  expect(colours(0, 3).size).toBeGreaterThan(1)
  expect(colours(5, 1).size).toBeGreaterThan(1)
  expect(colourOf(picture.cell(0, 3, 6))).toBe(colourOf(picture.cell(5, 1, 6)))
})

test('rules keep their patterns where colours are forced', async () => {
  const page = await open()
  await page.emulateMedia({ forcedColors: 'active' })
  await showTraced(page, { tokens: sixTokens, problem: { window: 2 } })
  const picture = await pictureOf(page, 6, 6)
  for (const [row, column] of [
    [0, 3],
    [5, 1],
  ] as const) {
    expect(new Set(picture.cell(row, column, 6)).size).toBeGreaterThan(1)
  }
})

test('digits are drawn where there is room, and only there', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens }, { properties: { room: 480 } })
  const inks = async () => new Set((await pictureOf(page, 6, 6)).cell(5, 0, 6)).size
  expect(await inks()).toBeGreaterThan(5)
  await set(page, { room: 200 })
  expect(await inks()).toBe(1)
})

for (const deviceScaleFactor of [1, 1.5, 2, 3]) {
  test(`palette-dpi: sharp at ${deviceScaleFactor} device pixels`, async () => {
    const page = await open({ deviceScaleFactor })
    await showGiven(page, [
      [0, 1, 0],
      [1, 0, 1],
    ])
    const { canvas, css } = await page.locator('attention-matrix').evaluate((element) => {
      const canvas = element.shadowRoot?.querySelector('canvas') as HTMLCanvasElement
      const { width, height } = canvas.getBoundingClientRect()
      return { canvas: [canvas.width, canvas.height], css: [width, height] }
    })
    // Layout has 64 steps in a CSS pixel.
    expect(css[0]).toBeCloseTo((canvas[0] as number) / deviceScaleFactor, 1)
    expect(css[1]).toBeCloseTo((canvas[1] as number) / deviceScaleFactor, 1)
    const picture = await pictureOf(page, 2, 3)
    const side = picture.width / 3
    expect(Number.isInteger(side)).toBe(true)
    // From a cell's middle to the next one's: one colour, its edge, the gap, the edge, the other colour.
    const y = Math.round(side * 0.2)
    const row = Array.from({ length: side }, (_, x) => picture.at(x + Math.round(side / 2), y).join(' '))
    const { css: colours } = paletteOf(false).sequential
    const blurred = row.filter((pixel) => {
      const [, , , alpha] = pixel.split(' ').map(Number)
      return alpha !== 0 && alpha !== 255
    })
    expect(blurred).toEqual([])
    expect(new Set(row).size, [...new Set(row)].join('; ')).toBeLessThanOrEqual(5)
    expect(row[0]).toBe(written(colours[0]))
    expect(row.at(-1)).toBe(written(colours[255]))
  })
}

test('palette-dpi: a change of the screen’s pixels is drawn at once', async () => {
  const page = await open({ deviceScaleFactor: 1 })
  await showGiven(page, [[0, 1]])
  expect((await pictureOf(page, 1, 2)).width).toBe(128)
  const client = await page.context().newCDPSession(page)
  await client.send('Emulation.setDeviceMetricsOverride', {
    // Chromium tells the page of another ratio together with another size.
    width: 760,
    height: 900,
    deviceScaleFactor: 2,
    mobile: false,
  })
  await expect.poll(async () => (await pictureOf(page, 1, 2)).width).toBe(256)
})

test('64 tokens: every cell stands for itself', async () => {
  const page = await open()
  const values = numbered(64).map((_, row) => numbered(64).map((_, column) => ((row * 64 + column) % 7) / 6))
  await showGiven(page, values)
  const picture = await pictureOf(page, 64, 64)
  const { css } = paletteOf(false).sequential
  for (const [row, column] of [
    [0, 0],
    [63, 63],
    [17, 42],
    [31, 5],
  ] as const) {
    const value = values[row]?.[column] as number
    expect(colourOf(picture.cell(row, column)), `${row}, ${column}`).toBe(written(css[Math.round(value * 255)]))
  }
})

test('512 tokens: every value is a pixel; where there are too few it is said that they are means', async () => {
  const page = await open({ viewport: { width: 768, height: 900 } })
  await showTraced(page, { tokens: numbered(512) }, { properties: { range: { min: 0, max: 1 } } })
  const picture = await pictureOf(page, 512, 512)
  expect([picture.width, picture.height]).toEqual([512, 512])
  // The first weight is 1; the second row's are two that sum to 1.
  expect(picture.at(2, 2).slice(0, 3)).not.toEqual(picture.at(500, 400).slice(0, 3))
  expect(await page.getByText('the mean of').count()).toBe(0)
  await set(page, { room: 320 })
  expect(await page.getByText('Each pixel is the mean of 2 × 2 values').count()).toBe(1)
  expect((await pictureOf(page, 256, 256)).width).toBe(256)
})

test('1024 tokens: the shape, named, and no cells', async () => {
  const page = await open()
  await page.evaluate(async (tokens) => {
    const { matrices } = window
    const count = tokens.length
    const hiddenBy = Uint8Array.from({ length: count * count }, (_, at) =>
      at % count > Math.floor(at / count) ? 1 : 0,
    )
    await matrices.show('attention-matrix', {
      matrix: matrices.matrixOf(matrices.given(count, count, [], { hiddenBy, hiddenNames: ['causal'] })),
      rowLabels: tokens,
      columnLabels: tokens,
      caption: 'Weights',
    })
  }, numbered(1024))
  expect(await page.locator('attention-matrix canvas').count()).toBe(0)
  expect(await page.getByRole('img').getAttribute('aria-label')).toBe(
    'Weights: T = 1024 by S = 1024, too many to draw one by one.',
  )
  expect(await page.locator('attention-matrix text').allTextContents()).toEqual(['S = 1024', 'T = 1024'])
  expect(await page.locator('attention-matrix path').getAttribute('d')).toMatch(/^M [^M]+ Z$/)
})

test('an empty matrix says so', async () => {
  const page = await open()
  await showGiven(page, [])
  expect(await page.getByText('Nothing to draw: 0 × 0.').isVisible()).toBe(true)
  await showGiven(page, [[1]])
  expect(await page.locator('attention-matrix canvas').count()).toBe(1)
})

test('rings stand where their cells are, lit regions over theirs', async () => {
  const page = await open()
  await showTraced(page, { tokens: sixTokens })
  await set(page, { marked: { row: 4, column: 2 }, lit: [{ rows: [1, 2], columns: [0, 6], kind: 'query' }] })
  const middle = async (selector: string) => {
    const box = await page.locator(`attention-matrix ${selector}`).boundingBox()
    return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  expect(await middle('.marked')).toEqual(await centre(page, 4, 2, 6, 6))
  const lit = await page.locator('attention-matrix .lit').boundingBox()
  const cells = await page.locator('attention-matrix .cells').boundingBox()
  expect(lit?.width).toBe(cells?.width)
  expect(lit?.height).toBeCloseTo((cells?.height ?? 0) / 6, 3)
})
