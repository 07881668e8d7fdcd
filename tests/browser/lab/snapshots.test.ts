// How the widget's main states look, against the pictures in tests/golden. They are
// half as large as the screen, so that a person can look at them and Git can hold them.
//
// Letters differ from machine to machine, so the pictures are compared where the fonts
// are those that they were taken with, which their widths tell. After a change that is
// meant, take them anew, and look at each before it is committed:
//
//   UPDATE_PICTURES=1 npm test browser

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { differences, farthest, halved } from '../support/pictures.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

const golden = join(import.meta.dirname, '../../golden')
const failed = join(import.meta.dirname, '../../../build/pictures')
const fontsFile = join(golden, 'fonts.txt')
const isUpdate = process.env.UPDATE_PICTURES === '1'

/**
 * So many pixels may differ by more than so many levels of 255: the pictures are
 * compressed, and another version of Chromium smooths an edge otherwise. A letter that
 * has moved differs in 20 pixels and by 150 levels. And so many levels the mean of 16 by
 * 16 pixels may be off: the ground of the card differs from that of the widget by 9.
 */
const tolerated = { pixels: 100, levels: 64, mean: 6 }

const desk = { width: 1440, height: 2000 }
const tablet = { width: 768, height: 3000 }
const phone = { width: 360, height: 4000 }

const states = {
  'six tokens, desk': { viewport: desk },
  'six tokens, desk, dark': { viewport: desk, colorScheme: 'dark' },
  'six tokens, tablet': { viewport: tablet },
  'six tokens, phone': { viewport: phone },
  'six tokens, phone, dark': { viewport: phone, colorScheme: 'dark' },
  '16 tokens, grouped heads': { viewport: desk, query: '?s=16&h=4&kv=2&d=2' },
  '64 tokens, 8 heads': { viewport: desk, query: '?s=64&h=8&kv=4&d=8' },
  '512 tokens, dark': { viewport: desk, colorScheme: 'dark', query: '?s=512&view=one&cell=300,100&lock=1' },
  '2048 tokens': { viewport: desk, query: '?s=2048&window=1&w=600&cell=1500,1100&lock=1' },
  'every rule, phone': {
    viewport: phone,
    query: '?s=9&window=1&prefix=1&docs=1&blocks=1&dilated=1&paint=1&cells=1.0&stage=masked',
  },
  'a product and its factors': { viewport: desk, query: '?s=8&stage=mixed&cell=5,1&lock=1&h=4&kv=2&view=one&head=3' },
  'a step of decoding': { viewport: desk, query: '?pos=decoding&step=4' },
} as const

/** How wide the letters are that the widget is written in: a number for each family and weight. */
const fonts = (page: Page) =>
  page.locator('attention-playground').evaluate((element) => {
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    if (!context) throw new Error('no canvas')
    const { fontFamily } = getComputedStyle(element)
    return [fontFamily, 'monospace', 'math'].map((family) => {
      context.font = `40px ${family}`
      return Math.round(context.measureText('Attention is all 0123456789 Σ√').width)
    })
  })

for (const [name, { query = '', ...options }] of Object.entries(states) as [string, { query?: string }][]) {
  test(`${name} looks as in its picture`, async (context) => {
    const page = await open({ query, ...options, reducedMotion: 'reduce' })
    const found = (await fonts(page)).join(' ')
    const file = join(golden, `${name.replaceAll(/[^a-z0-9]+/g, '-')}.webp`)
    const widget = page.locator('attention-playground')
    const picture = async () => halved(page, await widget.screenshot({ animations: 'disabled' }))
    if (isUpdate) {
      // Large matrices are drawn after the rest.
      await page.waitForTimeout(1500)
      writeFileSync(fontsFile, `${found}\n`)
      writeFileSync(file, await picture())
      return
    }
    if (!existsSync(fontsFile) || readFileSync(fontsFile, 'utf8').trim() !== found) {
      return context.skip('this machine has other fonts than the one that the pictures are of')
    }
    const expected = readFileSync(file)
    let last: Buffer | undefined
    try {
      await expect
        .poll(
          async () => {
            last = await picture()
            const pixels = await differences(page, last, expected, tolerated.levels)
            const mean = await farthest(page, last, expected)
            return pixels <= tolerated.pixels && mean <= tolerated.mean ? 'alike' : { pixels, mean }
          },
          { message: `how it differs from ${file}; what was seen lies in build/pictures` },
        )
        .toBe('alike')
    } catch (error) {
      mkdirSync(failed, { recursive: true })
      if (last) writeFileSync(join(failed, file.slice(golden.length + 1)), last)
      throw error
    }
  })
}
