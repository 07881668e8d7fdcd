// Every format is a file with the name and the content that it says.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { press } from '../support/lab.ts'
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

test('pictures: an SVG with the numbers as text, a PNG of the same size', async () => {
  const page = await open({ acceptDownloads: true })
  const svg = await download(page, 'Picture (SVG)')
  expect(svg.name).toMatch(/\.svg$/)
  expect(svg.content.toString()).toContain('0.368')
  expect(svg.content.toString()).toContain('journey')
  const png = await download(page, 'Picture (PNG)')
  expect(png.name).toMatch(/\.png$/)
  expect(png.content.subarray(1, 4).toString()).toBe('PNG')
  // Width and height in the header.
  expect(png.content.readUInt32BE(16)).toBeGreaterThan(200)
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
