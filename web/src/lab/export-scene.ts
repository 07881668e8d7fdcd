// Files made of a scene: what the widget hands to the exports, which are loaded when
// the first is wanted.

import type { FormatName } from './attention-toolbar.ts'
import { type CellLook, formats, type Layout, layoutOf, png, save, svg } from './export/index.ts'
import { mostOverview } from './matrix/fit.ts'
import { digits, endOf, significant } from './matrix/format.ts'
import { firstRule, marksOf } from './matrix/marks.ts'
import { paletteOf } from './matrix/palette.ts'
import { indexOf, type Range, scaleOf } from './matrix/range.ts'
import { drawn, headsOf, type Place, placesOfHeads } from './model/chain.ts'
import type { Scene } from './model/scene.ts'
import { isHeld, type Matrix, type Stage } from './model/stage.ts'
import { columnLabels, headWords, labelsOf, rowLabels, shapeWords } from './stage-look.ts'
import { colours as themed } from './theme.ts'
import { matrixWords, labWords as words } from './words.ts'

interface Wanted {
  readonly scene: Scene
  readonly stage: Stage
  readonly place: Place
  /** Whether all heads are shown, and not only that of the place. */
  readonly all: boolean
  readonly range: Range
  /** The sums of a matrix's rows; undefined where it has to be waited for. */
  readonly rowSums: (matrix: Matrix) => Float32Array | undefined
}

/** Saves a file; rejects with a sentence if it cannot be made. */
export async function exportAs(format: FormatName, wanted: Wanted): Promise<void> {
  const { scene, stage } = wanted
  const ofStage = format === 'csv' || format === 'npy'
  if (ofStage && !isHeld(stage)) throw new Error(matrixWords.notHeld)
  if (format === 'svg') return save(`${stage.name}.svg`, svg(pictureOf(wanted)), 'image/svg+xml')
  if (format === 'png') return save(`${stage.name}.png`, await png(pictureOf(wanted)), 'image/png')
  const { queries, keys } = scene.settings
  const ofSequences = (axis: 'T' | 'S', count: number) =>
    scene.places.flatMap((_, sequence) => labelsOf(axis, count, scene, sequence))
  const labels = { T: ofSequences('T', queries), S: ofSequences('S', keys) }
  const { name, type, content } = formats[format]
  const shown = { layer: scene.layer, stages: [...scene.stages.values()].filter(isHeld), stage, labels }
  save(name(shown), content(shown), type)
}

/** The colours of a legend's ramp, each some whole pixels wide. */
const shades = 40

/** A colour of the light theme: pictures go on paper and white pages. */
const light = (name: keyof typeof themed) => themed[name][0]

/** The matrices that are shown, in the light theme's colours as far as paper can have them. */
function pictureOf({ scene, stage, place, all, range, rowSums }: Wanted): Layout {
  const from = drawn(stage, place, scene)
  const { rows, columns } = from.matrix
  if (!isHeld(stage) || Math.max(rows, columns) > mostOverview) throw new Error(matrixWords.noPicture)
  // More cells than one matrix can have are no picture any more: the chosen head stands for all.
  const heads = all ? placesOfHeads(stage, place, scene) : []
  const places = heads.length * rows * columns <= mostOverview ** 2 && heads.length > 0 ? heads : [place]
  const scale = scaleOf(range, paletteOf(false))
  const { css, inks } = scale.ramp
  const hidden = (rule: number): CellLook => ({
    fill: light('hidden'),
    ink: light('hidden-mark'),
    text: '',
    struck: rule,
  })
  // Where cells have no room for text, the fill tells.
  const odd = (text: string): CellLook => ({ fill: '#ffd9a0', ink: '#5c3200', text })
  const look = (value: number, hiddenBy: number): CellLook => {
    if (hiddenBy !== 0) return hidden(firstRule(hiddenBy))
    if (!Number.isFinite(value)) return odd(digits(value, stage.name))
    const index = indexOf(value, scale)
    return { fill: css[index] as string, ink: inks[index] as string, text: digits(value, stage.name, 2) }
  }
  const colours = Array.from({ length: shades }, (_, shade) => {
    const value = range.min + ((range.max - range.min) * (shade + 0.5)) / shades
    return css[indexOf(value, scale)] as string
  })
  const matrices = places.map((at) => drawn(stage, at, scene).matrix)
  const marks = marksOf(matrices)
  const others = marks.rules.map((rule) => ({
    look: hidden(rule),
    text: matrixWords.legendHidden(stage.hiddenNames?.[rule] ?? String(rule)),
  }))
  if (marks.notANumber) others.push({ look: odd(''), text: matrixWords.legendNotANumber })
  if (marks.infinite) others.push({ look: odd(''), text: matrixWords.legendInfinite })
  const { batch, queryHeads, kvHeads } = scene.settings
  const name = words.stageTitles[stage.name]
  const sequence = batch > 1 ? words.ofSequence(place.sequence) : undefined
  const isGrouped = headsOf(stage) === 'query' && queryHeads > kvHeads
  const ofHead = (at: Place) => {
    const reads = isGrouped ? words.readsKvHead(scene.kvHeads[at.head] as number) : ''
    return headWords(stage, at, scene)?.concat(reads)
  }
  const parts = places.map((at) => {
    const each = drawn(stage, at, scene)
    const sums = () => Array.from(rowSums(each.matrix) ?? [], (sum) => digits(sum, stage.name))
    return {
      title: `${[name, ofHead(at), sequence].filter(Boolean).join(', ')} ${shapeWords([each.rowAxis, each.columnAxis], [each.matrix.rows, each.matrix.columns])}`,
      matrix: each.matrix,
      sums: stage.name === 'weights' ? { title: matrixWords.rowSum, texts: sums } : undefined,
    }
  })
  return layoutOf(parts, {
    title: parts.length === 1 ? (parts[0]?.title as string) : [name, sequence].filter(Boolean).join(', '),
    rowLabels: rowLabels(from, scene, place.sequence),
    columnLabels: columnLabels(from, scene, place.sequence),
    ink: light('ink'),
    surface: light('surface'),
    edge: light('line'),
    look,
    legend: { from: `${name}: ${significant(range.min)}`, to: endOf(range), colours, others },
  })
}
