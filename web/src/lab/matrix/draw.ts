// Draws the cells of a matrix on a canvas. Colours first, all at once, as an image
// with a pixel for each cell; then what is hidden, in runs; then the gaps between the
// cells are cut out; then digits and what is no number.

import { isHeld, type Matrix, type StageName } from '../model/stage.ts'
import type { Fit } from './fit.ts'
import { digits } from './format.ts'
import { firstRule, patternOf, type Stroke } from './marks.ts'
import { means } from './means.ts'
import { inkOn, parse } from './palette.ts'
import { indexOf, type Range, type Scale } from './range.ts'
import type { Theme } from './surroundings.ts'

type Context = CanvasRenderingContext2D

interface Odd {
  readonly row: number
  readonly column: number
  readonly value: number
}

/** What a drawing is made of; the canvas gets the size that `fit` says. */
export interface Drawing {
  readonly matrix: Matrix
  readonly fit: Fit
  readonly scale: Scale
  readonly theme: Theme
  readonly ratio: number
}

export function draw(canvas: HTMLCanvasElement, { matrix, fit, scale, theme, ratio }: Drawing) {
  const context = canvas.getContext('2d')
  if (!context) return
  if (canvas.width !== fit.width) canvas.width = fit.width
  if (canvas.height !== fit.height) canvas.height = fit.height
  context.clearRect(0, 0, fit.width, fit.height)
  if (fit.width === 0 || fit.height === 0) return
  const { block, across = block } = fit
  const shown = block === 1 && across === 1 ? matrix : means(matrix, block, across)
  const shape = shapeOf(fit, ratio)
  const { odd, hiders } = isHeld(matrix.stage) ? drawColours(context, shown, fit.side, scale) : unknown
  drawEdges(context, fit, shape, theme, ratio)
  drawHidden(context, shown, fit, hiders, theme, ratio)
  cutGaps(context, fit, shape, theme, ratio)
  for (const cell of odd) drawOdd(context, cell, fit, shape, theme, ratio)
  if (fit.text > 0) drawDigits(context, shown, fit, scale, theme, ratio)
}

/** What was met on the way through the cells. */
interface Met {
  /** Those that are no finite number. */
  readonly odd: readonly Odd[]
  /** A bit for each rule whose pattern is wanted. */
  readonly hiders: number
}

const unknown: Met = { odd: [], hiders: -1 }

/** The colours of all cells that have one. */
function drawColours(context: Context, matrix: Matrix, side: number, scale: Scale): Met {
  const { rows, columns, offset, rowStride, columnStride, stage } = matrix
  const { values, hiddenBy } = stage
  const { ramp, centre, origin, factor } = scale
  const last = ramp.pixels.length - 1
  const { context: small, image, pixels } = scratch(columns, rows)
  const odd: Odd[] = []
  let hiders = 0
  for (let row = 0, to = 0; row < rows; ++row) {
    for (let column = 0, at = offset + row * rowStride; column < columns; ++column, ++to, at += columnStride) {
      pixels[to] = 0
      const bits = hiddenBy?.[at]
      if (bits) {
        hiders |= bits & -bits
        continue
      }
      const value = values[at] as number
      // False for NaN and infinities alike.
      if (value - value !== 0) {
        odd.push({ row, column, value })
        continue
      }
      // As indexOf() has it, without its calls.
      const index = centre + (value - origin) * factor
      pixels[to] = ramp.pixels[index <= 0 ? 0 : index >= last ? last : (index + 0.5) | 0] as number
    }
  }
  small.putImageData(image, 0, 0)
  context.imageSmoothingEnabled = false
  context.drawImage(small.canvas, 0, 0, columns * side, rows * side)
  return { odd, hiders }
}

interface Scratch {
  readonly context: Context
  readonly image: ImageData
  readonly pixels: Uint32Array
}

const scratches = new Map<string, Scratch>()

/** A canvas and an image of the size asked for, whatever is on them. A page has matrices of few sizes, drawn again and again. */
function scratch(width: number, height: number): Scratch {
  const key = `${width} ${height}`
  const found = scratches.get(key)
  if (found) return found
  if (scratches.size >= 16) scratches.clear()
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const image = new ImageData(width, height)
  const context = canvas.getContext('2d') as Context
  const made = { context, image, pixels: new Uint32Array(image.data.buffer) }
  scratches.set(key, made)
  return made
}

/** Each run of hidden cells in a row in the pattern of its rule; behind all cells at once where there is one. */
function drawHidden(context: Context, matrix: Matrix, fit: Fit, hiders: number, theme: Theme, ratio: number) {
  const { rows, columns, offset, rowStride, columnStride, stage } = matrix
  const { side, width, height } = fit
  if (!stage.hiddenBy || hiders === 0) return
  // A few painted cells of a pixel or two would fall between the strokes of a pattern.
  const painted = side < 4 * ratio ? (stage.hiddenNames?.indexOf('painted') ?? -1) : -1
  if ((hiders & (hiders - 1)) === 0 && hiders !== 1 << painted) {
    context.globalCompositeOperation = 'destination-over'
    context.fillStyle = filling(context, firstRule(hiders), theme, ratio)
    context.fillRect(0, 0, width, height)
    context.globalCompositeOperation = 'source-over'
    return
  }
  for (let row = 0; row < rows; ++row) {
    const from = offset + row * rowStride
    for (let column = 0; column < columns; ) {
      const bits = stage.hiddenBy[from + column * columnStride] as number
      const start = column
      while (column < columns && stage.hiddenBy[from + column * columnStride] === bits) ++column
      if (bits === 0) continue
      const rule = firstRule(bits)
      context.fillStyle = rule === painted ? theme.hiddenMark : filling(context, rule, theme, ratio)
      context.fillRect(start * side, row * side, (column - start) * side, side)
    }
  }
}

const tiles = new Map<string, CanvasPattern>()

/** Patterns are few, unless somebody zooms on and on. */
function tile(key: string, make: () => CanvasPattern): CanvasPattern {
  const found = tiles.get(key)
  if (found) return found
  if (tiles.size > 200) tiles.clear()
  const made = make()
  tiles.set(key, made)
  return made
}

function tileOf(context: Context, side: number, paint: (tile: Context) => void): CanvasPattern {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: side, height: side })
  paint(canvas.getContext('2d') as Context)
  return context.createPattern(canvas, 'repeat') as CanvasPattern
}

/** The pattern of a rule, by its place among the rules, to fill with. */
function filling(context: Context, rule: number, theme: Theme, ratio: number): CanvasPattern {
  const strokes = patternOf(rule)
  return tile(`${strokes.join()} ${ratio} ${theme.hidden} ${theme.hiddenMark}`, () => {
    const side = Math.round(8 * ratio)
    return tileOf(context, side, (tile) => {
      tile.fillStyle = theme.hidden
      tile.fillRect(0, 0, side, side)
      tile.strokeStyle = theme.hiddenMark
      tile.fillStyle = theme.hiddenMark
      tile.lineWidth = ratio
      tile.lineCap = 'square'
      for (const stroke of strokes) drawStroke(tile, stroke, side, ratio)
    })
  })
}

function drawStroke(tile: Context, stroke: Stroke, side: number, ratio: number) {
  const half = Math.round(side / 2)
  // Along the pixels, where a stroke would lie across two rows of them.
  const thick = Math.max(1, Math.round(ratio))
  if (stroke === 'upright') return tile.fillRect(half, 0, thick, side)
  if (stroke === 'level') return tile.fillRect(0, half, side, thick)
  tile.beginPath()
  if (stroke === 'rising' || stroke === 'falling') {
    const [from, to] = stroke === 'rising' ? [side, 0] : [0, side]
    // Thrice, so that what runs off one corner comes in at the other.
    for (const by of [-side, 0, side]) {
      tile.moveTo(by, from)
      tile.lineTo(by + side, to)
    }
    return tile.stroke()
  }
  const [x, y] = stroke
  tile.arc(x * side, y * side, 1.2 * ratio, 0, 2 * Math.PI)
  tile.fill()
}

interface Shape {
  /** Device pixels on each side of a cell that are not drawn. */
  readonly inset: number
  readonly radius: number
}

/** Large cells are rounded and stand apart, small ones touch. */
function shapeOf({ cell }: Fit, ratio: number): Shape {
  if (cell >= 24) return { inset: Math.max(1, Math.round(ratio)), radius: Math.round(4 * ratio) }
  return { inset: 0, radius: 0 }
}

/**
 * An edge for each large cell, so that a pale one is seen on its ground; lines between
 * small ones. What is hidden is drawn over them: its patterns go on from cell to cell.
 */
function drawEdges(context: Context, fit: Fit, { inset, radius }: Shape, theme: Theme, ratio: number) {
  const { side, cell, width, height } = fit
  if (radius === 0 && cell < 8) return
  context.globalCompositeOperation = 'source-atop'
  if (radius === 0) {
    context.fillStyle = theme.surface
    for (let at = side - 1; at < width; at += side) context.fillRect(at, 0, 1, height)
    for (let at = side - 1; at < height; at += side) context.fillRect(0, at, width, 1)
    context.globalCompositeOperation = 'source-over'
    return
  }
  const line = Math.max(1, Math.round(ratio))
  const inner = side - 2 * inset - line
  context.fillStyle = tile(`edge ${side} ${ratio} ${theme.edge}`, () =>
    tileOf(context, side, (tile) => {
      tile.lineWidth = line
      tile.strokeStyle = theme.edge
      tile.roundRect(inset + line / 2, inset + line / 2, inner, inner, radius - line / 2)
      tile.stroke()
    }),
  )
  context.fillRect(0, 0, width, height)
  context.globalCompositeOperation = 'source-over'
}

/** Cuts large cells to their shape; small ones get a frame around them all. */
function cutGaps(context: Context, { side, width, height }: Fit, shape: Shape, theme: Theme, ratio: number) {
  const { inset, radius } = shape
  if (radius > 0) {
    const inner = side - 2 * inset
    context.globalCompositeOperation = 'destination-in'
    context.fillStyle = tile(`cell ${side} ${ratio}`, () =>
      tileOf(context, side, (tile) => {
        tile.roundRect(inset, inset, inner, inner, radius)
        tile.fill()
      }),
    )
    context.fillRect(0, 0, width, height)
    context.globalCompositeOperation = 'source-over'
    return
  }
  const line = Math.max(1, Math.round(ratio))
  context.lineWidth = line
  context.strokeStyle = theme.edge
  context.strokeRect(line / 2, line / 2, width - line, height - line)
}

/** NaN is crossed out in a colour of its own; an infinity stands on the bare ground. */
function drawOdd(
  context: Context,
  { row, column, value }: Odd,
  fit: Pick<Fit, 'side' | 'text'>,
  shape: Shape,
  theme: Theme,
  ratio: number,
) {
  const { side, text } = fit
  const { inset, radius } = shape
  const colour = Number.isNaN(value) ? theme.notANumber : theme.ink
  const [x, y, inner] = [column * side + inset, row * side + inset, side - 2 * inset]
  context.fillStyle = colour
  if (side < 6 * ratio) return context.fillRect(x, y, inner, inner)
  const line = Math.max(1, Math.round(1.5 * ratio))
  context.fillStyle = theme.surface
  context.strokeStyle = colour
  context.lineWidth = line
  context.beginPath()
  context.roundRect(x + line / 2, y + line / 2, inner - line, inner - line, Math.max(0, radius - line / 2))
  context.fill()
  context.stroke()
  if (text > 0) return
  context.beginPath()
  const [from, to] = [2 * line, inner - 2 * line]
  context.moveTo(x + from, y + from)
  context.lineTo(x + to, y + to)
  if (Number.isNaN(value)) {
    context.moveTo(x + to, y + from)
    context.lineTo(x + from, y + to)
  }
  context.stroke()
}

function drawDigits(context: Context, matrix: Matrix, fit: Fit, scale: Scale, theme: Theme, ratio: number) {
  const { rows, columns, offset, rowStride, columnStride, stage } = matrix
  const { side, text } = fit
  const size = text * ratio
  context.font = `${size}px ${theme.font}`
  context.textAlign = 'center'
  context.textBaseline = 'alphabetic'
  const most = side - 4 * ratio
  for (let row = 0; row < rows; ++row) {
    // Digits are about 0.72 of the font's size high.
    const y = Math.round((row + 0.5) * side + 0.36 * size)
    for (let column = 0, at = offset + row * rowStride; column < columns; ++column, at += columnStride) {
      if (stage.hiddenBy?.[at]) continue
      const value = stage.values[at] as number
      context.fillStyle = inkOf(value, scale, theme)
      context.fillText(fitting(context, value, stage.name, most), (column + 0.5) * side, y, most)
    }
  }
}

/** A number that is drawn this much narrower than its font has it can still be read. */
const narrower = 1.3

/** A number with as many digits as fit: only one with an exponent has some to spare. */
function fitting(context: Context, value: number, stage: StageName, width: number): string {
  const text = digits(value, stage)
  if (!text.includes('e')) return text
  const shorter = [text, digits(value, stage, 2), digits(value, stage, 1)]
  return shorter.find((text) => context.measureText(text).width <= width * narrower) ?? (shorter.at(-1) as string)
}

/** The colour of a value's digits: what is easier to read on the value's own colour. */
export function inkOf(value: number, scale: Scale, theme: Theme): string {
  if (Number.isNaN(value)) return theme.notANumber
  if (!Number.isFinite(value)) return inkOn(parse(theme.surface))
  return scale.ramp.inks[indexOf(value, scale)] as string
}

/** A legend's ramp: the colours from the least to the largest number, each pixel the colour of the number that it stands for. */
export function drawRamp(canvas: HTMLCanvasElement, { min, max }: Range, scale: Scale, theme: Theme) {
  const context = canvas.getContext('2d')
  if (!context) return
  const { width, height } = canvas
  for (let x = 0; x < width; ++x) {
    context.fillStyle = scale.ramp.css[indexOf(min + ((max - min) * (x + 0.5)) / width, scale)] as string
    context.fillRect(x, 0, 1, height)
  }
  context.strokeStyle = theme.edge
  context.strokeRect(0.5, 0.5, width - 1, height - 1)
}

/** A legend's sample of a rule's pattern. */
export function drawPattern(canvas: HTMLCanvasElement, rule: number, theme: Theme, ratio: number) {
  const context = canvas.getContext('2d')
  if (!context) return
  context.fillStyle = filling(context, rule, theme, ratio)
  context.fillRect(0, 0, canvas.width, canvas.height)
}

/** A legend's sample of a cell that is no finite number. */
export function drawSample(canvas: HTMLCanvasElement, value: number, theme: Theme, ratio: number) {
  const context = canvas.getContext('2d')
  const side = canvas.height
  const fit = { side, text: 0 }
  if (context) drawOdd(context, { row: 0, column: 0, value }, fit, { inset: 0, radius: 2 * ratio }, theme, ratio)
}
