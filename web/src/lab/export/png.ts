// A picture as a PNG file: the same shapes as the SVG's, drawn on a canvas.

import { exportWords } from '../words.ts'
import { font, type Layout, type Shape } from './picture.ts'

/** Device pixels of one of the picture's, so that it is sharp on a screen of today and on paper. */
const fine = 2
/** The side of a canvas and its area that every browser can make, in device pixels. */
const mostSide = 8192
const mostPixels = 2 ** 24

/** Rejects with a sentence if the browser makes no picture of that size. */
export function png(layout: Layout): Promise<Blob> {
  const { width, height } = layout
  const isSmall = Math.max(width, height) * fine <= mostSide && width * height * fine ** 2 <= mostPixels
  const ratio = isSmall ? fine : 1
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: width * ratio, height: height * ratio })
  const context = canvas.getContext('2d')
  if (!context) return Promise.reject(new Error(exportWords.noPicture(canvas.width, canvas.height)))
  context.scale(ratio, ratio)
  context.fillStyle = layout.surface
  context.fillRect(0, 0, width, height)
  for (const shape of layout.shapes) draw(context, shape)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob)
      else reject(new Error(exportWords.noPicture(canvas.width, canvas.height)))
    }, 'image/png')
  })
}

function draw(context: CanvasRenderingContext2D, shape: Shape) {
  switch (shape.kind) {
    case 'box':
      context.fillStyle = shape.fill
      context.fillRect(shape.x, shape.y, shape.width, shape.height)
      if (shape.edge === undefined) return
      context.strokeStyle = shape.edge
      context.strokeRect(shape.x, shape.y, shape.width, shape.height)
      return
    case 'lines':
      context.strokeStyle = shape.ink
      context.beginPath()
      for (const [x1, y1, x2, y2] of shape.lines) {
        context.moveTo(x1, y1)
        context.lineTo(x2, y2)
      }
      context.stroke()
      return
    case 'text':
      context.save()
      context.translate(shape.x, shape.y)
      if (shape.upright) context.rotate(-Math.PI / 2)
      context.font = `${shape.bold ? '600 ' : ''}${font.size}px ${font.family}`
      context.textAlign = shape.anchor === 'middle' ? 'center' : shape.anchor
      // Whatever the direction of the page's text is.
      context.direction = 'ltr'
      context.fillStyle = shape.ink
      context.fillText(shape.text, 0, 0)
      context.restore()
  }
}
