// Every format is a file with the name and the content that it says.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { goTo, press } from '../support/lab.ts'
import { decoded } from '../support/pictures.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

async function download(page: Page, format: string) {
  await press(page, 'Export')
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, format)])
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()) }
}

test('files of the stage, of all stages, and programs', async () => {
  const page = await open({ acceptDownloads: true })
  const csv = await download(page, 'Stage as CSV')
  expect(csv.name).toMatch(/weights.*\.csv$/)
  expect(csv.content.toString()).toMatch(/0\.36\d+/)

  const npy = await download(page, 'Stage for NumPy (.npy)')
  expect(npy.name).toMatch(/weights.*\.npy$/)
  expect(npy.content.subarray(1, 6).toString()).toBe('NUMPY')
  expect(npy.content.toString('latin1')).toContain("'shape': (1, 1, 6, 6)")

  const npz = await download(page, 'All stages for NumPy (.npz)')
  expect(npz.name).toMatch(/\.npz$/)
  for (const stage of ['x', 'wq', 'q', 'dots', 'masked', 'weights', 'mixed', 'output']) {
    expect(npz.content.toString('latin1'), stage).toContain(`${stage}.npy`)
  }

  for (const [format, ending, says] of [
    ['Program in NumPy', '.py', 'import numpy'],
    ['Program in PyTorch', '.py', 'import torch'],
    ['Program in C++', '.cpp', '#include'],
  ] as const) {
    const program = await download(page, format)
    expect(program.name, format).toContain(ending)
    expect(program.content.toString(), format).toContain(says)
    expect(program.content.toString(), format).toContain('0.43')
  }
})

test('a CSV of two sequences has each one’s tokens beside its own rows', async () => {
  const page = await open({ acceptDownloads: true, query: '?s=3&pos=padding&len=2' })
  const { content } = await download(page, 'Stage as CSV')
  const [head, ...rows] = content
    .toString()
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
  // The columns are other tokens in the other sequence: they have numbers alone.
  expect(head).toEqual(['B', 'Hq', 'T', 'token', '0', '1', '2'])
  expect(rows.map((row) => row.slice(0, 4))).toEqual([
    ['0', '0', '0', 'Your'],
    ['0', '0', '1', 'journey'],
    ['0', '0', '2', 'starts'],
    ['1', '0', '0', '∅'],
    ['1', '0', '1', 'Your'],
    ['1', '0', '2', 'journey'],
  ])
  expect(rows[3]?.slice(4)).toEqual(['0', '0', '0'])
  expect(rows[4]?.slice(4)).toEqual(['0', '1', '0'])
})

const attributes = (element: string) =>
  Object.fromEntries(Array.from(element.matchAll(/ ([a-z-]+)="([^"]*)"/g), ([, name, value]) => [name, value]))

/** The colours of a PNG at places, as '#rrggbb'. */
async function colours(page: Page, png: Buffer, places: readonly (readonly [number, number])[]) {
  const { width, data } = await decoded(page, png)
  return places.map(
    ([x, y]) =>
      `#${data
        .readUIntBE(4 * (y * width + x), 3)
        .toString(16)
        .padStart(6, '0')}`,
  )
}

/** With the spaces that shapes don't break at. */
const spaced = (title: string) => title.replace(/ × /g, '\u00a0×\u00a0').replace(/(?<=\[.*), (?=.*\])/g, ',\u00a0')

test('pictures: an SVG with title, labels, numbers and legend as text, and a PNG that is its twin', async () => {
  const page = await open({
    acceptDownloads: true,
    query: '?h=4&kv=2&d=2&head=3&view=one&window=1',
    colorScheme: 'dark',
  })
  const svg = await download(page, 'Picture (SVG)')
  expect(svg.name).toBe('weights.svg')
  const text = svg.content.toString()
  const texts = Array.from(text.matchAll(/<text[^>]*>([^<]*)</g), ([, shown]) => shown)
  expect(texts).toContain(spaced('Weights, query head 3 reading KV head 1 [T, S] 6 × 6'))
  expect(texts.filter((shown) => shown === 'journey')).toHaveLength(2)
  expect(texts).toEqual(
    expect.arrayContaining(['1.000', 'Weights: 0', '1', 'hidden: causal rule', 'hidden: sliding window']),
  )

  const png = await download(page, 'Picture (PNG)')
  expect(png.name).toBe('weights.png')
  const { width, height } = attributes(text.slice(0, text.indexOf('>')))
  expect([16, 20].map((at) => png.content.readUInt32BE(at))).toEqual([2 * Number(width), 2 * Number(height)])
  const boxes = Array.from(text.matchAll(/<rect [^>]*\/>/g), ([element]) => attributes(element)).slice(1)
  expect(boxes.length).toBeGreaterThan(36)
  // Where there is neither number nor line.
  const places = boxes.map(
    ({ x, y, width }) => [Math.round(2 * (Number(x) + 0.3 * Number(width))), 2 * Number(y) + 2] as const,
  )
  const expected = boxes.map(({ fill }) =>
    (fill as string).replace(
      /^rgb\((\d+), ?(\d+), ?(\d+)\)$/,
      (_, ...parts) =>
        `#${parts
          .slice(0, 3)
          .map((part) => Number(part).toString(16).padStart(2, '0'))
          .join('')}`,
    ),
  )
  const found = await colours(page, png.content, places)
  boxes.forEach((box, index) => {
    expect(found[index], JSON.stringify(box)).toBe(expected[index])
  })
  // The title and the labels are there, dark on white.
  const [ground] = await colours(page, png.content, [[2, 2]])
  expect(ground).toBe('#ffffff')
  const line = Array.from({ length: 120 }, (_, x) => [16 + 2 * x, 34] as const)
  expect((await colours(page, png.content, line)).some((colour) => colour < '#505050')).toBe(true)
})

test('a picture has what is shown: all heads, each with its title, and sums of rows', async () => {
  const page = await open({ acceptDownloads: true, query: '?h=4&kv=2&paint=1&cells=0.0' })
  const textsOf = async () => {
    const svg = (await download(page, 'Picture (SVG)')).content.toString()
    return Array.from(svg.matchAll(/<text[^>]*>([^<]*)</g), ([, shown]) => shown)
  }
  const weights = await textsOf()
  expect(weights.filter((text) => text?.startsWith('Weights,'))).toEqual(
    [0, 1, 2, 3].map((head) => spaced(`Weights, query head ${head} reading KV head ${head >> 1} [T, S] 6 × 6`)),
  )
  expect(weights.filter((text) => text === 'sum')).toHaveLength(4)
  expect(weights.filter((text) => text === '0.000').length).toBeGreaterThanOrEqual(4)
  await goTo(page, 'Keys k')
  const keys = await textsOf()
  expect(keys.filter((text) => text?.startsWith('Keys k,'))).toEqual(
    [0, 1].map((head) => spaced(`Keys k, KV head ${head} [S, D] 6 × 3`)),
  )
  await goTo(page, 'Output')
  expect((await textsOf()).filter((text) => text?.startsWith('Output ['))).toEqual([spaced('Output [T, N] 6 × 12')])
})

test('a picture of 512 tokens is made too', async () => {
  const page = await open({ acceptDownloads: true, query: '?s=512' })
  await page.getByRole('grid', { name: 'Weights', exact: true }).waitFor()
  const png = await download(page, 'Picture (PNG)')
  expect(png.content.readUInt32BE(16)).toBeGreaterThan(512 * 6)
})

test('token-html: a token’s markup is text in a picture too', async () => {
  const token = '<script>alert(1)</script>'
  const page = await open({ acceptDownloads: true, query: `?text=${encodeURIComponent(token)}%20b&s=2` })
  const svg = (await download(page, 'Picture (SVG)')).content.toString()
  expect(svg).not.toContain('<script')
  expect(svg).toContain('&lt;script')
  const csv = (await download(page, 'Stage as CSV')).content.toString()
  expect(csv).toContain(token)
})

test('the menu opens and closes by the keyboard, and the focus comes back', async () => {
  const page = await open()
  const opener = page.getByRole('button', { name: 'Export', exact: true })
  await opener.focus()
  await page.keyboard.press('Enter')
  expect(await opener.getAttribute('aria-expanded')).toBe('true')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  expect(await opener.getAttribute('aria-expanded')).toBe('false')
  await expect
    .poll(() => opener.evaluate((element) => (element.getRootNode() as ShadowRoot).activeElement === element))
    .toBe(true)
})
