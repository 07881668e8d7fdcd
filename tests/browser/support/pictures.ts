import type { Page } from 'playwright-core'

/** Levels of 255 by which text may be smoothed otherwise when it is painted again. */
const smoothing = 16

/** How many pixels of two pictures differ by more than so many levels; all of them if their sizes do. */
export async function differences(page: Page, first: Buffer, second: Buffer, levels = smoothing): Promise<number> {
  const pictures = [first, second].map((png) => png.toString('base64'))
  return page.evaluate(
    async ({ pictures, levels }) => {
      const pixels = await Promise.all(
        pictures.map(async (base64) => {
          const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))
          const picture = await createImageBitmap(new Blob([bytes]))
          const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
          context?.drawImage(picture, 0, 0)
          return context?.getImageData(0, 0, picture.width, picture.height) as ImageData
        }),
      )
      const [a, b] = pixels as [ImageData, ImageData]
      if (a.width !== b.width || a.height !== b.height) return Math.max(a.width * a.height, b.width * b.height)
      let count = 0
      for (let at = 0; at < a.data.length; at += 4) {
        const differ = [0, 1, 2].some(
          (channel) => Math.abs((a.data[at + channel] as number) - (b.data[at + channel] as number)) > levels,
        )
        if (differ) ++count
      }
      return count
    },
    { pictures, levels },
  )
}

/** A screenshot of half the width and height, each pixel the mean of four, as WebP: a quarter of the bytes of a PNG. */
export async function halved(page: Page, png: Buffer): Promise<Buffer> {
  const half = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes]))
    const canvas = new OffscreenCanvas(Math.ceil(picture.width / 2), Math.ceil(picture.height / 2))
    const context = canvas.getContext('2d')
    context?.drawImage(picture, 0, 0, picture.width / 2, picture.height / 2)
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })
    return Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join('')
  }, png.toString('base64'))
  return Buffer.from(half, 'latin1')
}
