// The table behind a drawn matrix, which a screen reader walks: headers, and in each
// cell its number or why there is none. Of a large one only the rows and columns
// around the cell in focus are there; each says which of how many it is.

import { html, nothing, type TemplateResult } from 'lit'
import { isHeld, type Matrix } from '../model/stage.ts'
import { visible } from '../tokens.ts'
import { matrixWords as words } from '../words.ts'
import { digits } from './format.ts'
import { rulesOf } from './marks.ts'

/** A cell of a matrix. */
export interface At {
  readonly row: number
  readonly column: number
}

/** The largest matrix that stands there whole, in cells. */
const mostWhole = 256
const rowsAround = 1
const columnsAround = 24

interface Span {
  readonly from: number
  readonly to: number
}

/** The rows and columns that are in the table while a cell has the focus. */
export function spansOf(rows: number, columns: number, focus: At): { rows: Span; columns: Span } {
  if (rows * columns <= mostWhole) return { rows: { from: 0, to: rows }, columns: { from: 0, to: columns } }
  const around = (at: number, by: number, count: number) => ({
    from: Math.max(0, at - by),
    to: Math.min(count, at + by + 1),
  })
  const across =
    columns <= 2 * columnsAround + 1 ? { from: 0, to: columns } : around(focus.column, columnsAround, columns)
  return { rows: around(focus.row, rowsAround, rows), columns: across }
}

const placeOf = ({ offset, rowStride, columnStride }: Matrix, { row, column }: At) =>
  offset + row * rowStride + column * columnStride

/** The number of a cell. */
export const valueAt = (matrix: Matrix, at: At) => matrix.stage.values[placeOf(matrix, at)] as number

/** Whether a rule hides a cell. */
export const isHidden = (matrix: Matrix, at: At) => (matrix.stage.hiddenBy?.[placeOf(matrix, at)] ?? 0) !== 0

/** The cell's number as it is drawn, or in words what it is instead or where to find it. */
export function said(matrix: Matrix, at: At): string {
  const { stage } = matrix
  const bits = stage.hiddenBy?.[placeOf(matrix, at)] ?? 0
  if (bits !== 0) return words.hidden(rulesOf(bits, stage.hiddenNames ?? []))
  if (!isHeld(stage)) return words.notInTable
  const value = valueAt(matrix, at)
  if (Number.isNaN(value)) return words.notANumber
  return Number.isFinite(value) ? digits(value, stage.name) : words.infinite(value)
}

interface Table {
  readonly matrix: Matrix
  readonly rowLabels: readonly string[]
  readonly columnLabels: readonly string[]
  readonly name: string
  readonly help: string
  /** The sums of the rows, where they are shown. */
  readonly sums: ArrayLike<number> | undefined
  /** The cell that is the grid's one stop of the tab key. */
  readonly focus: At
  readonly marked: At | undefined
}

export function tableOf({ matrix, rowLabels, columnLabels, sums, name, help, focus, marked }: Table): TemplateResult {
  const spans = spansOf(matrix.rows, matrix.columns, focus)
  const columns = indices(spans.columns)
  return html`
    <table
      role="grid"
      aria-label=${name}
      aria-description=${help}
      aria-rowcount=${matrix.rows + 1}
      aria-colcount=${matrix.columns + (sums ? 2 : 1)}
    >
      <thead>
        <tr role="row" aria-rowindex="1">
          <td role="presentation"></td>
          ${columns.map((column) => header(columnLabels[column] ?? '', 'columnheader', column))}
          ${sums ? html`<th role="columnheader" class="sum" scope="col" aria-colindex=${matrix.columns + 2}>${words.rowSum}</th>` : nothing}
        </tr>
      </thead>
      <tbody>
        ${indices(spans.rows).map(
          (row) => html`
            <tr role="row" aria-rowindex=${row + 2}>
              ${header(rowLabels[row] ?? '', 'rowheader', -1)}
              ${columns.map((column) => {
                const at = { row, column }
                return html`<td
                  role="gridcell"
                  aria-colindex=${column + 2}
                  tabindex=${same(at, focus) ? 0 : -1}
                  aria-selected=${same(at, marked) ? 'true' : nothing}
                >${said(matrix, at)}</td>`
              })}
              ${
                sums
                  ? html`<td role="gridcell" class="sum" aria-colindex=${matrix.columns + 2}>${digits(sums[row] as number, matrix.stage.name)}</td>`
                  : nothing
              }
            </tr>
          `,
        )}
      </tbody>
    </table>
  `
}

const header = (label: string, role: 'rowheader' | 'columnheader', column: number) =>
  html`<th role=${role} scope=${role === 'rowheader' ? 'row' : 'col'} aria-colindex=${column + 2}><bdi>${shortened(visible(label))}</bdi></th>`

const indices = ({ from, to }: Span) => Array.from({ length: to - from }, (_, index) => from + index)

export const same = (a: At, b: At | undefined) => a.row === b?.row && a.column === b.column

/** As much of a label as one wants to hear at every step; no character is cut in two. */
export function shortened(label: string, most = 24): string {
  if (label.length <= most) return label
  const characters = Array.from(new Intl.Segmenter().segment(label.slice(0, 16 * most)), ({ segment }) => segment)
  return characters.length <= most && label.length <= 16 * most ? label : `${characters.slice(0, most).join('')}…`
}

/** How far PageUp and PageDown go. */
const page = 8

type Step = (at: At, last: At, control: boolean) => At

const steps: Record<string, Step> = {
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  PageUp: ({ row, column }) => ({ row: row - page, column }),
  PageDown: ({ row, column }) => ({ row: row + page, column }),
  Home: ({ row }, _, control) => ({ row: control ? 0 : row, column: 0 }),
  End: ({ row }, last, control) => ({ row: control ? last.row : row, column: last.column }),
}

/** Where a key leads from a cell, which may be the cell itself; undefined for a key that leads nowhere. */
export function step(key: string, control: boolean, from: At, { rows, columns }: Matrix): At | undefined {
  const to = steps[key]?.(from, { row: rows - 1, column: columns - 1 }, control)
  return to && within(to, rows, columns)
}

/** The cell, or the nearest that there is. */
export const within = ({ row, column }: At, rows: number, columns: number): At => ({
  row: Math.max(0, Math.min(row, rows - 1)),
  column: Math.max(0, Math.min(column, columns - 1)),
})
