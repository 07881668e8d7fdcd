// The part of the exports that needs a page: a canvas as PNG, and handing a file to
// the person. A link's address is a blob: of this page; nothing is asked of a server.

import { exportWords } from '../words/export.ts'

/**
 * What a canvas shows, with all the pixels that it has: one drawn at the device's
 * ratio gives a picture of that ratio. Rejects with a sentence if it holds none.
 */
export function png(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob)
      else reject(new Error(exportWords.noPicture(canvas.width, canvas.height)))
    }, 'image/png')
  })
}

/** Saves a file under a name, as the browser saves downloads. */
export function save(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // No event says when the browser has read the address; Safari takes its time.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
