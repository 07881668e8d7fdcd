// A picture as an SVG file that stands alone: no script, no style sheet, no font or
// address from elsewhere. Tokens go in as text nodes; nothing of them is markup.

import { font, type Layout, type Shape } from './picture.ts'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text for an XML document: what XML 1.0 cannot hold becomes the replacement character. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character] as string)
}

/** The text of the file. */
export function svg({ width, height, title, surface, shapes }: Layout): string {
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
      `font-family="${font.family}" font-size="${font.size}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${escaped(surface)}"/>`,
    ...shapes.map(markup),
    '</svg>',
  ]
  return `${parts.join('\n')}\n`
}

function markup(shape: Shape): string {
  switch (shape.kind) {
    case 'box': {
      const [x, y, width, height] = [shape.x, shape.y, shape.width, shape.height].map(round)
      const edge = shape.edge === undefined ? '' : ` stroke="${escaped(shape.edge)}"`
      return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${escaped(shape.fill)}"${edge}/>`
    }
    case 'lines': {
      const path = shape.lines.map((line) => {
        const [x1, y1, x2, y2] = line.map(round)
        return `M${x1} ${y1}L${x2} ${y2}`
      })
      return `<path d="${path.join('')}" stroke="${escaped(shape.ink)}"/>`
    }
    case 'text': {
      const [x, y] = [round(shape.x), round(shape.y)]
      const turned = shape.upright ? ` transform="rotate(-90 ${x} ${y})"` : ''
      const bold = shape.bold ? ' font-weight="600"' : ''
      const whole = shape.whole === undefined ? '' : `<title>${escaped(shape.whole)}</title>`
      const place = `x="${x}" y="${y}" text-anchor="${shape.anchor}"`
      return `<text ${place} fill="${escaped(shape.ink)}"${bold}${turned}>${whole}${escaped(shape.text)}</text>`
    }
  }
}

const round = (value: number) => Math.round(value * 100) / 100
