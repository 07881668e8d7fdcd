// A matrix too large to draw: its shape, and the part of it that is visible.

import { html, nothing, svg, type TemplateResult } from 'lit'
import { type Axis, isHeld, type Matrix } from '../model/stage.ts'
import { paint } from '../paint.ts'
import { matrixWords as words } from '../words.ts'
import { mostOverview } from './fit.ts'

/** Points in order, x to the right and y down, both as shares of the whole. */
export type Outline = readonly (readonly [number, number])[]

/** How many bands of rows the outlines are made of at most. */
const mostBands = 128

/**
 * The outlines of what is visible in a matrix. A row in the middle of each band stands
 * for the band; its visible stretches go on with those of the band above where they
 * are as many and each is partly under the one before it.
 */
export function outlinesOf(matrix: Matrix): Outline[] {
  const { rows, columns } = matrix
  const bands = Math.min(rows, mostBands)
  const outlines: Outline[] = []
  let open: { from: number[]; to: number[] }[] = []
  let top = 0
  const close = (bottom: number) => {
    for (const { from, to } of open) {
      const height = (bottom - top) / from.length
      const side = (edges: number[]): Outline => [
        [(edges[0] as number) / columns, top],
        ...edges.map((edge, band) => [edge / columns, top + (band + 0.5) * height] as const),
        [(edges.at(-1) as number) / columns, bottom],
      ]
      outlines.push([...side(from), ...side(to).toReversed()])
    }
    open = []
    top = bottom
  }
  for (let band = 0; band < bands; ++band) {
    const stretches = stretchesOf(matrix, Math.floor(((band + 0.5) * rows) / bands))
    const joins =
      stretches.length === open.length &&
      stretches.every(([from, to], index) => {
        const above = open[index] as { from: number[]; to: number[] }
        return from < (above.to.at(-1) as number) && to > (above.from.at(-1) as number)
      })
    if (!joins) {
      close(band / bands)
      open = stretches.map(() => ({ from: [], to: [] }))
    }
    stretches.forEach(([from, to], index) => {
      open[index]?.from.push(from)
      open[index]?.to.push(to)
    })
  }
  close(1)
  return outlines
}

/** The visible stretches of a row: first column and the one after the last. */
function stretchesOf({ columns, offset, rowStride, columnStride, stage }: Matrix, row: number): [number, number][] {
  const { hiddenBy } = stage
  if (!hiddenBy) return [[0, columns]]
  const stretches: [number, number][] = []
  for (let column = 0, at = offset + row * rowStride; column < columns; ++column, at += columnStride) {
    if (hiddenBy[at]) continue
    const last = stretches.at(-1)
    if (last?.[1] === column) last[1] = column + 1
    else stretches.push([column, column + 1])
  }
  return stretches
}

const margin = 28
const largest = 320

/** The width and the height that there are, labels included, in CSS pixels. */
export interface SchematicRoom {
  readonly width: number
  readonly height?: number | undefined
}

/** The size of the drawn shape in CSS pixels, without its labels. */
export function sizeOf({ rows, columns }: Matrix, room: SchematicRoom): { width: number; height: number } {
  const { width, height = Number.POSITIVE_INFINITY } = room
  const most = Math.max(1, Math.min(largest, width - margin, height - margin))
  // A long side is drawn at most four times the short one, so that both are seen.
  const ratio = Math.min(4, Math.max(0.25, columns / rows))
  return { width: ratio >= 1 ? most : most * ratio, height: ratio >= 1 ? most / ratio : most }
}

/** The axes of the matrix's rows and columns, which may be the stage's turned. */
function axesOf({ stage, rowStride, columnStride }: Matrix): [Axis, Axis] {
  const [ofRows, ofColumns] = stage.axes.slice(-2) as [Axis, Axis]
  const [down, across] = stage.strides.slice(-2)
  const isTurned = down !== across && rowStride === across && columnStride === down
  return isTurned ? [ofColumns, ofRows] : [ofRows, ofColumns]
}

/** What is visible in a matrix of a size in CSS pixels, `from` pixels from the corner, as an SVG path. */
export function pathOf(matrix: Matrix, width: number, height: number, from: number): string {
  const points = (outline: Outline) =>
    outline.map(([x, y]) => `${(from + x * width).toFixed(1)} ${(from + y * height).toFixed(1)}`).join(' L ')
  return outlinesOf(matrix)
    .map((outline) => `M ${points(outline)} Z`)
    .join(' ')
}

/** `cells` lies over the shape, and has a cell's width and height as --cell-x and --cell-y. */
export function schematicOf(matrix: Matrix, name: string, room: SchematicRoom, cells: TemplateResult) {
  const { rows, columns, stage } = matrix
  const [rowAxis, columnAxis] = axesOf(matrix)
  const [down, across] = [words.axis(rowAxis, rows), words.axis(columnAxis, columns)]
  const { width, height } = sizeOf(matrix, room)
  return html`
    <div
      class="schematic"
      ${paint('--width', `${width}px`)}
      ${paint('--height', `${height}px`)}
      ${paint('--cell-x', `${width / columns}px`)}
      ${paint('--cell-y', `${height / rows}px`)}
      ${paint('--margin', `${margin}px`)}
    >
      <svg
        role="img"
        aria-label=${words.schematic(name, down, across)}
        width=${width + margin + 1}
        height=${height + margin + 1}
        viewBox=${`0 0 ${width + margin + 1} ${height + margin + 1}`}
      >
        ${svg`
          <path d=${pathOf(matrix, width, height, margin)} />
          <rect x=${margin} y=${margin} width=${width} height=${height} />
          <text x=${margin + width / 2} y="18">${across}</text>
          <text transform=${`translate(18 ${margin + height / 2}) rotate(-90)`}>${down}</text>
        `}
      </svg>
      ${cells}
    </div>
    <p class="soft note">
      ${Math.max(rows, columns) > mostOverview ? words.schematicNote(rows, columns) : nothing}
      ${isHeld(stage) ? nothing : words.notHeld} ${words.schematicShows}
    </p>
  `
}
