// Screenshots compared: Chromium decodes them, since Node has no PNG and no WebP.

import type { Page } from 'playwright-core'

interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green, blue and opacity of each pixel, row by row. */
  readonly data: Buffer
}

export async function decoded(page: Page, file: Buffer): Promise<Picture> {
  const { width, height, url } = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes]))
    const { width, height } = picture
    const context = new OffscreenCanvas(width, height).getContext('2d')
    if (!context) throw new Error('no canvas')
    context.drawImage(picture, 0, 0)
    const pixels = context.getImageData(0, 0, width, height).data
    const reader = new FileReader()
    const read = new Promise((resolve) => reader.addEventListener('load', resolve))
    reader.readAsDataURL(new Blob([pixels]))
    await read
    return { width, height, url: reader.result as string }
  }, file.toString('base64'))
  return { width, height, data: Buffer.from(url.slice(url.indexOf(',') + 1), 'base64') }
}

/** Levels of 255 by which text may be smoothed otherwise when it is painted again. */
const smoothing = 16

/** How many pixels of two pictures differ by more than so many levels; all of them if their sizes do. */
export async function differences(page: Page, first: Buffer, second: Buffer, levels = smoothing): Promise<number> {
  const [a, b] = [await decoded(page, first), await decoded(page, second)]
  if (a.width !== b.width || a.height !== b.height) return Math.max(a.width * a.height, b.width * b.height)
  let count = 0
  for (let at = 0; at < a.data.length; at += 4) {
    const isOff = (channel: number) =>
      Math.abs((a.data[at + channel] as number) - (b.data[at + channel] as number)) > levels
    if (isOff(0) || isOff(1) || isOff(2)) ++count
  }
  return count
}

const side = 16

/** The means of a picture's blocks of 16 × 16 pixels, a number for each colour. */
function means({ width, height, data }: Picture): Float64Array {
  const across = Math.ceil(width / side)
  const sums = new Float64Array(across * Math.ceil(height / side) * 3)
  for (let y = 0, at = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x, at += 4) {
      const block = 3 * (Math.floor(y / side) * across + Math.floor(x / side))
      for (let channel = 0; channel < 3; ++channel) {
        sums[block + channel] = (sums[block + channel] as number) + (data[at + channel] as number) / side ** 2
      }
    }
  }
  return sums
}

/** By how many levels the means of two pictures' blocks differ at most: whether a tint or a pattern is gone. */
export async function farthest(page: Page, first: Buffer, second: Buffer): Promise<number> {
  const [a, b] = [means(await decoded(page, first)), means(await decoded(page, second))]
  if (a.length !== b.length) return 255
  return a.reduce((most, mean, at) => Math.max(most, Math.abs(mean - (b[at] as number))), 0)
}

/** A screenshot of half the width and height, each pixel the mean of four, as WebP: a quarter of the bytes of a PNG. */
export async function halved(page: Page, png: Buffer): Promise<Buffer> {
  const half = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(Math.ceil(picture.width / 2), Math.ceil(picture.height / 2))
    canvas.getContext('2d')?.drawImage(picture, 0, 0, picture.width / 2, picture.height / 2)
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })
    return Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join('')
  }, png.toString('base64'))
  return Buffer.from(half, 'latin1')
}
