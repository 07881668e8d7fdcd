// How a matrix is drawn in the room that it has: a pure function, so that what is
// drawn depends on nothing else. Cells are whole device pixels, hence always sharp.

/** In CSS pixels, and the device pixels that one of them has. */
export interface Room {
  readonly width: number
  /** The most that the picture may be high; without it the width decides. */
  readonly height?: number | undefined
  /** The width of the row labels, where matrices below each other have it in common. */
  readonly rowLabel?: number | undefined
  /** Whether the sums of the rows are wanted beside them. */
  readonly sums?: boolean
  readonly ratio: number
}

export interface Fit {
  /** Every cell with labels, an overview to be read with the lens, or only the shape. */
  readonly kind: 'cells' | 'overview' | 'schematic'
  /** A cell's side in device pixels. */
  readonly side: number
  /** Each pixel of the picture is the mean of so many rows and as many columns. */
  readonly block: number
  /** So many columns, where they are not as many as the rows. */
  readonly across?: number
  /** The picture's size in device pixels. */
  readonly width: number
  readonly height: number
  /** A cell's side in CSS pixels. */
  readonly cell: number
  /** Width of the row labels and height of the column labels in CSS pixels. */
  readonly rowLabel: number
  readonly columnLabel: number
  /** Whether the column labels stand upright. */
  readonly upright: boolean
  /** Every how many rows and columns there is a label. */
  readonly every: number
  /** The width of the sums beside the rows; 0 where there is no room for them and the digits. */
  readonly sums: number
  /** The digits' height in CSS pixels; 0 if there is no room for them. */
  readonly text: number
  /** Whether a lens is needed to read a cell. */
  readonly lens: boolean
}

export const mostCells = 64
export const mostOverview = 512

const largest = 64
/** A matrix of cells is not drawn smaller; it scrolls instead. */
const smallest = 2
export const smallestWithDigits = 32
/** Below this a finger or an eye doesn't tell cells apart. */
const smallestWithoutLens = 14
const smallestLabel = 11
/** Row labels leave room for the names of the axes, too. */
const narrowest = 58
/** Column labels leave room for the names of both axes in the corner beside them. */
const lowest = 36
/** About the width of a letter of a label. */
const letter = 7.25

/** The width of the sums of the rows. */
export const sumsWidth = 44

/** The width that row labels take of their own. */
export const labelWidth = (labels: readonly string[]) => clamp(longest(labels) * letter + 12, narrowest, 84)

export function fit(rowLabels: readonly string[], columnLabels: readonly string[], room: Room): Fit {
  if (room.sums) {
    const beside = fit(rowLabels, columnLabels, { ...room, sums: false, width: room.width - sumsWidth })
    if (beside.text > 0) return { ...beside, sums: sumsWidth }
  }
  const { width, height = Number.POSITIVE_INFINITY, ratio } = room
  const rows = rowLabels.length
  const columns = columnLabels.length
  const most = Math.max(rows, columns)
  const kind = most <= mostCells ? 'cells' : most <= mostOverview ? 'overview' : 'schematic'
  const widest = width >= 460 ? 84 : kind === 'cells' ? 68 : narrowest
  const rowLabel = room.rowLabel ?? clamp(longest(rowLabels) * letter + 12, narrowest, widest)
  const across = longest(columnLabels) * letter + 4
  const roomAt = (columnLabel: number) =>
    Math.min((width - rowLabel) / Math.max(columns, 1), (height - columnLabel) / Math.max(rows, 1), largest)
  const upright = across > roomAt(lowest)
  const columnLabel = upright ? clamp(across + 8, lowest, 76) : lowest
  // A share of a device pixel, if a whole one is too large.
  const wanted = roomAt(columnLabel) * ratio
  const floor = kind === 'cells' ? Math.ceil(smallest * ratio) : 1
  const side = Math.max(floor, Math.floor(wanted + 1e-6))
  const block = kind === 'cells' || wanted >= 1 ? 1 : Math.ceil(1 / Math.max(wanted, 1 / mostOverview))
  const cell = side / ratio / block
  return {
    kind,
    side,
    block,
    width: Math.ceil(columns / block) * side,
    height: Math.ceil(rows / block) * side,
    cell,
    rowLabel,
    sums: 0,
    columnLabel,
    upright,
    every: Math.max(1, Math.ceil(smallestLabel / cell)),
    text: kind === 'cells' && cell >= smallestWithDigits ? (cell < 36 ? 10 : cell < 44 ? 11 : 12) : 0,
    lens: kind !== 'schematic' && cell < smallestWithoutLens,
  }
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most)

/** The length of the longest label, in letters. */
const longest = (labels: readonly string[]) =>
  labels.reduce((most, label) => Math.max(most, label.length > 12 ? 12 : Array.from(label).length), 0)
