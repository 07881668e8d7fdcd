// How large the cells are: a pure function of the room, so that what is drawn
// depends on nothing else.

export interface Fit {
  /** Heatmaps side by side. On a narrow screen they are all in one strip that scrolls. */
  readonly columns: number
  readonly strip: boolean
  /** A cell's side, and the width of the row labels, in CSS pixels. */
  readonly cell: number
  readonly label: number
  /** Whether three decimals are readable in a cell. */
  readonly digits: boolean
  /** Whether the column labels stand upright. */
  readonly upright: boolean
}

const smallest = 12
const largest = 64
const smallestWithDigits = 32
/** More rows of heatmaps than fit in this height are no overview any more. */
const tallest = 1000
const headings = 104
const narrow = 460
const columnGap = 32
/** How much of the next heatmap looks into a strip, so that one sees that it goes on. */
const peek = 32
const letter = 7.5

export function fit(width: number, tokens: readonly string[], heads: number): Fit {
  const count = Math.max(tokens.length, 1)
  const strip = width < narrow
  const label = heads > 1 || strip ? 60 : 80
  const cellAt = (columns: number) => {
    const room = strip ? width - (heads > 1 ? peek : 0) : (width - (columns - 1) * columnGap) / columns
    return Math.min(largest, Math.floor((room - label) / count))
  }
  const heightAt = (columns: number) => Math.ceil(heads / columns) * (cellAt(columns) * count + headings)
  // As few beside each other as can be seen at once, if their digits are readable
  // then; otherwise about as many as there are rows, if the room has as many.
  const upTo = Array.from({ length: heads }, (_, index) => index + 1)
  const large = upTo.find((columns) => heightAt(columns) <= tallest)
  const square = upTo.findLast((columns) => columns <= Math.ceil(Math.sqrt(heads)) && cellAt(columns) >= smallest)
  const columns = strip ? heads : large && cellAt(large) >= smallestWithDigits ? large : (square ?? 1)
  const cell = Math.max(smallest, cellAt(columns))
  const longest = Math.max(0, ...tokens.map((token) => Array.from(token).length))
  return { columns, strip, cell, label, digits: cell >= smallestWithDigits, upright: longest * letter > cell }
}
