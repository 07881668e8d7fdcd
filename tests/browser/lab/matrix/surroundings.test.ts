// The host page: its theme, its style sheets, its printer.

import { inflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { paletteOf } from '../../../../web/src/lab/matrix/palette.ts'
import { colourOf, pictureOf, settled, showGiven, showTraced, sixTokens, useMatrices } from '../../support/matrices.ts'

const open = useMatrices()

const written = (css: string | undefined) => `${css?.match(/\d+/g)?.join(' ')} 255`
const [light, dark] = [false, true].map((dark) => written(paletteOf(dark).sequential.css[255]))

const one = async (page: Page) => colourOf((await pictureOf(page, 1, 1)).cell(0, 0))

/** The transition that tells of a change takes a frame or two. */
async function becomes(page: Page, colour: string | undefined) {
  await expect.poll(() => one(page), { timeout: 5000 }).toBe(colour)
}

test('dark-and-print: a class of the host page changes the canvas', async () => {
  const page = await open({ colorScheme: 'light' })
  await showGiven(page, [[1]])
  expect(await one(page)).toBe(light)
  const toggle = (name: string) => page.evaluate((name) => document.documentElement.setAttribute('class', name), name)
  await toggle('dark')
  await becomes(page, dark)
  await toggle('light')
  await becomes(page, light)
})

test('dark-and-print: the system’s setting changes the canvas', async () => {
  const page = await open({ colorScheme: 'dark' })
  await showGiven(page, [[1]])
  expect(await one(page)).toBe(dark)
  await page.emulateMedia({ colorScheme: 'light' })
  await becomes(page, light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await becomes(page, dark)
})

test('dark-and-print: with reduced motion, too', async () => {
  const page = await open({ colorScheme: 'light', reducedMotion: 'reduce' })
  await showGiven(page, [[1]])
  await page.evaluate(() => document.documentElement.setAttribute('class', 'dark'))
  await becomes(page, dark)
})

test('dark-and-print: print media are light, and the screen is dark again', async () => {
  const page = await open({ colorScheme: 'dark' })
  await showGiven(page, [[1]])
  await page.emulateMedia({ media: 'print' })
  await becomes(page, light)
  await page.emulateMedia({ media: 'screen' })
  await becomes(page, dark)
})

/** Whatever a PDF holds in a deflated stream: pages, fonts, the pixels of images. */
function streams(pdf: Buffer): Buffer[] {
  const found: Buffer[] = []
  for (let at = pdf.indexOf('stream'); at >= 0; at = pdf.indexOf('stream', at + 6)) {
    const start = pdf[at + 6] === 13 ? at + 8 : at + 7
    try {
      found.push(inflateSync(pdf.subarray(start)))
    } catch {
      // The word of another kind of stream, or of its end.
    }
  }
  return found
}

test('dark-and-print: the printed picture is there, and light', async () => {
  const page = await open({ colorScheme: 'dark' })
  const values = [
    [0, 1, 1 / 3],
    [1, 0, 0],
  ]
  await showGiven(page, values)
  // Chromium prints a canvas by doing again what drew it, so that the PDF holds the
  // image of a pixel for each cell, in bytes of red, green and blue.
  const bytes = (dark: boolean) => {
    const { css } = paletteOf(dark).sequential
    return values.flat().flatMap((value) => (css[Math.round(255 * value)]?.match(/\d+/g) ?? []).map(Number))
  }
  const printed = streams(await page.pdf())
    .filter(({ length }) => length === 3 * values.flat().length)
    .map((stream) => Array.from(stream))
  expect(printed).toContainEqual(bytes(false))
  expect(printed).not.toContainEqual(bytes(true))
  await expect.poll(async () => (await pictureOf(page, 2, 3)).cell(0, 1)[0]).toBe(dark)
})

test('css-leak: a host’s rules for tables, cells, buttons and canvases change nothing, and ours change none of its', async () => {
  const page = await open()
  await page.evaluate(() => {
    const table = document.createElement('table')
    table.innerHTML = '<tr><td>host</td></tr>'
    document.body.append(table)
  })
  const looks = ['margin', 'padding', 'opacity', 'color', 'backgroundColor', 'font', 'borderSpacing', 'textTransform']
  const hosts = () =>
    page.evaluate(
      (looks) =>
        ['table', 'td', 'h1', 'body'].map((name) => {
          const style = getComputedStyle(document.querySelector(name) as Element)
          return looks.map((look) => `${name} ${look}: ${style[look as 'margin']}`)
        }),
      looks,
    )
  const before = await hosts()
  await showTraced(page, { tokens: sixTokens }, { properties: { marked: { row: 1, column: 0 } } })
  expect(await hosts()).toEqual(before)
  const shot = () => page.locator('attention-matrix').screenshot()
  const clean = await shot()
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      'table,td,button,canvas,span,i{margin:1em!important;opacity:.2!important;text-transform:uppercase}',
    )
    document.adoptedStyleSheets = [sheet]
    document.body.style.textTransform = 'uppercase'
    document.body.style.letterSpacing = '0.3em'
    document.body.style.textAlign = 'right'
    document.body.style.lineHeight = '3'
  })
  await settled(page)
  // The heading above has grown with the body's lines; the picture is taken of the element alone.
  expect((await shot()).equals(clean)).toBe(true)
})

test('forced colours: the picture and its rings stay', async () => {
  const page = await open({ forcedColors: 'active', colorScheme: 'dark' })
  await showTraced(page, { tokens: sixTokens }, { properties: { marked: { row: 1, column: 0 } } })
  const picture = await pictureOf(page, 6, 6)
  expect(new Set([0, 1, 2].map((row) => colourOf(picture.cell(row, 0)))).size).toBe(3)
  const border = await page
    .locator('attention-matrix .marked')
    .evaluate((element) => getComputedStyle(element).borderTopWidth)
  expect(border).toBe('2px')
})
