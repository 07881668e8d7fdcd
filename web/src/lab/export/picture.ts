// A stage's matrices as a picture that stands alone, each with its title, the names of its rows and
// columns, its numbers and its legend: laid out as shapes, once, for all that draws it.

import { patternOf, type Stroke } from '../matrix/marks.ts'
import type { Matrix } from '../model/stage.ts'
import { visible } from '../tokens.ts'

/** How a cell looks: any CSS colours that SVG takes, and what is written in it. */
export interface CellLook {
  readonly fill: string
  readonly ink: string
  readonly text: string
  /** For a hidden cell the place of the rule that hides it, whose lines cross it. */
  readonly struck?: number
}

export interface Legend {
  readonly from: string
  readonly to: string
  /** From the one to the other, in even steps. */
  readonly colours: readonly string[]
  /** The looks that are not of the range, and what they mean. */
  readonly others: readonly { readonly look: CellLook; readonly text: string }[]
}

export interface Picture {
  readonly title: string
  readonly rowLabels: readonly string[]
  readonly columnLabels: readonly string[]
  /** What the labels and the title are written in, and what is behind them. */
  readonly ink: string
  readonly surface: string
  /** The edge of a cell, so that a pale one is seen. */
  readonly edge: string
  /** The look of a cell by its value and the bits of the rules that hide it. */
  readonly look: (value: number, hiddenBy: number) => CellLook
  readonly legend?: Legend
}

/** One of the matrices of a picture. */
export interface Part {
  readonly title: string
  readonly matrix: Matrix
  /** The sums of its rows, which are asked for only where they are shown, and what is written above them. */
  readonly sums?: { readonly title: string; readonly texts: () => readonly string[] } | undefined
}

/** From the first two numbers, x and y, to the other two. */
export type Line = readonly [number, number, number, number]

export type Shape =
  | {
      readonly kind: 'box'
      readonly x: number
      readonly y: number
      readonly width: number
      readonly height: number
      readonly fill: string
      readonly edge?: string | undefined
    }
  | { readonly kind: 'lines'; readonly lines: readonly Line[]; readonly ink: string }
  | {
      readonly kind: 'text'
      readonly x: number
      /** Of the baseline. */
      readonly y: number
      readonly ink: string
      readonly anchor: 'start' | 'middle' | 'end'
      readonly text: string
      /** The whole of a text that was cut. */
      readonly whole?: string | undefined
      /** Read from below. */
      readonly upright?: boolean
      readonly bold?: boolean
    }

export interface Layout {
  readonly width: number
  readonly height: number
  readonly title: string
  readonly surface: string
  /** In the order in which they are drawn. */
  readonly shapes: readonly Shape[]
}

export const font = { family: 'system-ui, sans-serif', size: 13 }
/** The mean width of a letter, and that of a Chinese character or a picture, as shares of the font's size. */
const letter = 0.6
const wide = 1.1
const isWide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Extended_Pictographic}/u
const gap = 8
/** Labels longer than this are cut; the whole one is in the cut one's title. */
const longest = 16
/** Up to so many rows or columns in all each cell has its number; more are small and have none. */
const mostNumbers = 64
const numbered = { width: 56, height: 32 }
const bare = { width: 6, height: 6 }
const ramp = { width: 160, height: 12 }

/** A stroke of a rule's pattern in a cell of size 1, as far as a single cell can have it. */
function lineOf(stroke: Stroke): Line {
  switch (stroke) {
    case 'rising':
      return [0, 1, 1, 0]
    case 'falling':
      return [0, 0, 1, 1]
    case 'upright':
      return [0.5, 0, 0.5, 1]
    case 'level':
      return [0, 0.5, 1, 0.5]
    default: {
      const [x, y] = stroke
      return [x - 0.03, y, x + 0.03, y]
    }
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

const widthOfAll = (characters: readonly string[]) =>
  characters.reduce((sum, character) => sum + (isWide.test(character) ? wide : letter) * font.size, 0)
const widthOf = (text: string) => widthOfAll(Array.from(text))

function label(token: string): { text: string; whole: string | undefined; width: number } {
  const parts = Array.from(graphemes.segment(visible(token)), ({ segment }) => segment)
  const cut = parts.length > longest
  return {
    text: cut ? `${parts.slice(0, longest - 1).join('')}…` : parts.join(''),
    whole: cut ? token : undefined,
    width: widthOfAll(parts.slice(0, longest)),
  }
}

/** A cell or a sample of one. */
function shapesOf(
  x: number,
  y: number,
  size: { width: number; height: number },
  look: CellLook,
  edge?: string,
): Shape[] {
  const { width, height } = size
  const shapes: Shape[] = [{ kind: 'box', x, y, width, height, fill: look.fill, edge }]
  if (look.struck !== undefined) {
    const lines = patternOf(look.struck).map((stroke) => {
      const [x1, y1, x2, y2] = lineOf(stroke)
      return [x + x1 * width, y + y1 * height, x + x2 * width, y + y2 * height] as const
    })
    shapes.push({ kind: 'lines', lines, ink: look.ink })
  }
  if (look.text !== '') {
    const at = { x: x + width / 2, y: y + height / 2 + font.size / 3 }
    shapes.push({ kind: 'text', ...at, ink: look.ink, anchor: 'middle', text: look.text })
  }
  return shapes
}

/** Where things are in each of the matrices, from its upper left corner on. */
interface Frame {
  readonly isNumbered: boolean
  readonly cell: { readonly width: number; readonly height: number }
  readonly rows: readonly ReturnType<typeof label>[]
  readonly columns: readonly ReturnType<typeof label>[]
  /** Labels that are wider than their column stand upright. */
  readonly isUpright: boolean
  readonly left: number
  readonly top: number
}

/** Matrices of the same size, labels and colours as one picture, as many beside each other as below. */
export function layoutOf(parts: readonly Part[], picture: Picture): Layout {
  const across = Math.ceil(Math.sqrt(parts.length))
  const down = Math.ceil(parts.length / across)
  const rows = picture.rowLabels.map(label)
  const columns = picture.columnLabels.map(label)
  const isNumbered = Math.max(rows.length * down, columns.length * across) <= mostNumbers
  const cell = isNumbered ? numbered : bare
  const widest = (labels: typeof rows) => Math.ceil(Math.max(0, ...labels.map(({ width }) => width)))
  const isUpright = widest(columns) > cell.width - gap
  const left = widest(rows) + 2 * gap
  const top = font.size + 3 * gap + (isUpright ? widest(columns) : font.size) + gap
  const frame = { isNumbered, cell, rows, columns, isUpright, left, top }
  const sums = isNumbered && parts.some((part) => part.sums) ? numbered.width : 0
  const one = {
    width:
      Math.max(left + columns.length * cell.width + sums, ...parts.map(({ title }) => Math.ceil(widthOf(title)))) +
      2 * gap,
    height: top + rows.length * cell.height + 2 * gap,
  }
  const bottom = down * one.height - 2 * gap
  const legend = picture.legend ? legendOf(picture.legend, bottom + 2 * gap, picture) : { shapes: [], width: 0, end: 0 }
  const shapes = parts.flatMap((part, index) =>
    shapesOfPart(part, picture, frame, (index % across) * one.width, Math.floor(index / across) * one.height),
  )
  const width = Math.max(across * one.width, legend.width + 2 * gap)
  const height = Math.max(bottom, legend.end) + gap
  const { title, surface } = picture
  return { width: Math.ceil(width), height: Math.ceil(height), title, surface, shapes: [...shapes, ...legend.shapes] }
}

function shapesOfPart({ title, matrix, sums }: Part, picture: Picture, frame: Frame, x0: number, y0: number): Shape[] {
  const { ink } = picture
  const { isNumbered, cell, rows, columns, isUpright } = frame
  const [left, top] = [x0 + frame.left, y0 + frame.top]
  const end = left + columns.length * cell.width
  const shapes: Shape[] = [
    { kind: 'text', x: x0 + gap, y: y0 + font.size + gap, ink, anchor: 'start', text: title, bold: true },
  ]
  const every = (size: number) => Math.ceil((font.size + 1) / size)
  columns.forEach(({ text, whole }, column) => {
    if (isUpright && column % every(cell.width) !== 0) return
    const x = left + (column + 0.5) * cell.width + (isUpright ? font.size / 3 : 0)
    const anchor = isUpright ? 'start' : 'middle'
    shapes.push({ kind: 'text', x, y: top - gap, ink, anchor, text, whole, upright: isUpright })
  })
  const lineOfRow = (row: number) => top + (row + 0.5) * cell.height + font.size / 3
  rows.forEach(({ text, whole }, row) => {
    if (row % every(cell.height) !== 0) return
    shapes.push({ kind: 'text', x: left - gap, y: lineOfRow(row), ink, anchor: 'end', text, whole })
  })
  // A numbered cell keeps apart from the next one.
  const drawn = isNumbered ? { width: cell.width - 1, height: cell.height - 1 } : cell
  for (let row = 0; row < matrix.rows; ++row) {
    for (let column = 0; column < matrix.columns; ++column) {
      const at = matrix.offset + row * matrix.rowStride + column * matrix.columnStride
      const look = picture.look(matrix.stage.values[at] as number, matrix.stage.hiddenBy?.[at] ?? 0)
      const [x, y] = [left + column * cell.width, top + row * cell.height]
      const shown = isNumbered ? look : { ...look, text: '' }
      shapes.push(...shapesOf(x, y, drawn, shown, isNumbered ? picture.edge : undefined))
    }
  }
  if (sums && isNumbered) {
    const ofSum = { kind: 'text', x: end + numbered.width / 2, ink, anchor: 'middle' } as const
    shapes.push({ ...ofSum, y: top - gap, text: sums.title })
    sums.texts().forEach((text, row) => {
      shapes.push({ ...ofSum, y: lineOfRow(row), text })
    })
  }
  return shapes
}

/** The range in one line, and below it a line for each other look. */
function legendOf({ from, to, colours, others }: Legend, top: number, { ink, edge }: Picture) {
  const line = ramp.height + gap
  const baseline = (index: number) => top + index * line + ramp.height - 1
  const start = Math.ceil(gap + widthOf(from) + gap)
  const step = ramp.width / colours.length
  const shapes: Shape[] = [
    { kind: 'text', x: gap, y: baseline(0), ink, anchor: 'start', text: from },
    ...colours.map((fill, index): Shape => {
      return { kind: 'box', x: start + index * step, y: top, width: step, height: ramp.height, fill }
    }),
    { kind: 'text', x: start + ramp.width + gap, y: baseline(0), ink, anchor: 'start', text: to },
    ...others.flatMap(({ look, text }, index): Shape[] => [
      ...shapesOf(gap, top + (index + 1) * line, { width: 22, height: ramp.height }, look, edge),
      { kind: 'text', x: gap + 22 + gap, y: baseline(index + 1), ink, anchor: 'start', text },
    ]),
  ]
  const width = Math.max(
    start + ramp.width + gap + widthOf(to),
    ...others.map(({ text }) => gap + 22 + gap + widthOf(text)),
  )
  return { shapes, width, end: top + (others.length + 1) * line }
}
