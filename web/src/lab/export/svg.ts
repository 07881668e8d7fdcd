// A matrix as an SVG picture that stands alone: no script, no style sheet, no font
// or address from elsewhere. Tokens go in as text nodes; nothing of them is markup.

import type { Matrix } from '../model/stage.ts'
import { visible } from '../tokens.ts'

/** How a cell looks: any CSS colours that SVG takes, and what is written in it. */
export interface CellLook {
  readonly fill: string
  readonly ink: string
  readonly text: string
  /** Crossed by a line, for a cell that a rule hides. */
  readonly struck?: boolean
}

export interface Picture {
  readonly title: string
  readonly rowLabels: readonly string[]
  readonly columnLabels: readonly string[]
  /** What the labels and the title are written in, and what is behind them. */
  readonly ink: string
  readonly surface: string
  /** The look of a cell by its value and the bits of the rules that hide it. */
  readonly look: (value: number, hiddenBy: number) => CellLook
}

const cell = { width: 56, height: 32 }
const font = 13
/** The mean width of a letter, as a share of the font's size. */
const letter = 0.6
const gap = 8
/** Labels longer than this are cut; the whole one is in the cut one's title. */
const longest = 16

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text for an XML document: what XML 1.0 cannot hold becomes the replacement character. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character] as string)
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function label(token: string): { markup: string; width: number } {
  const parts = Array.from(graphemes.segment(visible(token)), ({ segment }) => segment)
  const cut = parts.length > longest
  const shown = cut ? `${parts.slice(0, longest - 1).join('')}…` : parts.join('')
  const markup = cut ? `<title>${escaped(token)}</title>${escaped(shown)}` : escaped(shown)
  return { markup, width: Math.min(parts.length, longest) * letter * font }
}

/** The text of the file. */
export function svg(matrix: Matrix, picture: Picture): string {
  const rows = picture.rowLabels.map(label)
  const columns = picture.columnLabels.map(label)
  const widest = (labels: typeof rows) => Math.ceil(Math.max(0, ...labels.map(({ width }) => width)))
  // Labels that are wider than their column stand upright.
  const upright = widest(columns) > cell.width - gap
  const left = widest(rows) + 2 * gap
  const top = font + 3 * gap + (upright ? widest(columns) : font) + gap
  const titleWidth = Array.from(picture.title).length * letter * font + 2 * gap
  const width = Math.ceil(Math.max(left + matrix.columns * cell.width + gap, titleWidth))
  const height = top + matrix.rows * cell.height + gap

  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
      `font-family="system-ui, sans-serif" font-size="${font}">`,
    `<title>${escaped(picture.title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${escaped(picture.surface)}"/>`,
    text(gap, font + gap, picture.ink, 'start', escaped(picture.title), ' font-weight="600"'),
  ]
  columns.forEach(({ markup }, column) => {
    const x = left + (column + 0.5) * cell.width
    const y = top - gap
    const turned = ` transform="rotate(-90 ${x + font / 3} ${y})"`
    parts.push(
      upright ? text(x + font / 3, y, picture.ink, 'start', markup, turned) : text(x, y, picture.ink, 'middle', markup),
    )
  })
  rows.forEach(({ markup }, row) => {
    parts.push(text(left - gap, baseline(top, row), picture.ink, 'end', markup))
  })
  for (let row = 0; row < matrix.rows; ++row) {
    for (let column = 0; column < matrix.columns; ++column) {
      const at = matrix.offset + row * matrix.rowStride + column * matrix.columnStride
      const look = picture.look(matrix.stage.values[at] as number, matrix.stage.hiddenBy?.[at] ?? 0)
      const x = left + column * cell.width
      const y = top + row * cell.height
      const fill = escaped(look.fill)
      parts.push(`<rect x="${x}" y="${y}" width="${cell.width - 1}" height="${cell.height - 1}" fill="${fill}"/>`)
      if (look.struck) {
        const path = `M${x} ${y + cell.height - 1}L${x + cell.width - 1} ${y}`
        parts.push(`<path d="${path}" stroke="${escaped(look.ink)}"/>`)
      }
      if (look.text !== '') {
        parts.push(text(x + cell.width / 2, baseline(top, row), look.ink, 'middle', escaped(look.text)))
      }
    }
  }
  return `${parts.join('\n')}\n</svg>\n`
}

const baseline = (top: number, row: number) => top + (row + 0.5) * cell.height + font / 3

function text(x: number, y: number, ink: string, anchor: string, markup: string, more = ''): string {
  const place = `x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"`
  return `<text ${place} fill="${escaped(ink)}"${more}>${markup}</text>`
}

const round = (value: number) => Math.round(value * 100) / 100
