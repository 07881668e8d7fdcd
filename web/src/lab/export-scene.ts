// Files made of a scene: what the widget hands to the exports, which are loaded when
// the first is wanted.

import type { FormatName } from './attention-toolbar.ts'
import { type CellLook, formats, png, save, svg } from './export/index.ts'
import { mostOverview } from './matrix/fit.ts'
import { digits } from './matrix/format.ts'
import { paletteOf } from './matrix/palette.ts'
import { indexOf, type Range, scaleOf } from './matrix/range.ts'
import { drawn, headAt, type Place } from './model/chain.ts'
import type { Scene } from './model/scene.ts'
import { isHeld, type Stage } from './model/stage.ts'
import { columnLabels, labelsOf, rowLabels } from './stage-look.ts'
import { labWords as words } from './words/lab.ts'
import { matrixWords } from './words/matrix.ts'

interface Wanted {
  readonly scene: Scene
  readonly stage: Stage
  readonly place: Place
  readonly range: Range
  readonly host: HTMLElement
}

/** Saves a file; rejects with a sentence if it cannot be made. */
export async function exportAs(format: FormatName, wanted: Wanted): Promise<void> {
  const { scene, stage, host } = wanted
  const ofStage = format === 'csv' || format === 'npy'
  if (ofStage && !isHeld(stage)) throw new Error(matrixWords.notHeld)
  if (format === 'svg') return save(`${stage.name}.svg`, svgOf(wanted), 'image/svg+xml')
  if (format === 'png') {
    const canvas = canvasOf(host, headAt(stage, wanted.place, scene))
    if (!canvas) throw new Error(matrixWords.noPicture)
    return save(`${stage.name}.png`, await png(canvas), 'image/png')
  }
  const { queries, keys } = scene.settings
  const ofSequences = (axis: 'T' | 'S', count: number) =>
    scene.places.flatMap((_, sequence) => labelsOf(axis, count, scene, sequence))
  const labels = { T: ofSequences('T', queries), S: ofSequences('S', keys) }
  const { name, type, content } = formats[format]
  const shown = { layer: scene.layer, stages: [...scene.stages.values()].filter(isHeld), stage, labels }
  save(name(shown), content(shown), type)
}

/** The matrix at the place, in the colours of the light theme: pictures go on paper and white pages. */
function svgOf({ scene, stage, place, range }: Wanted): string {
  const from = drawn(stage, place, scene)
  const isSmall = Math.max(from.matrix.rows, from.matrix.columns) <= mostOverview
  if (!isSmall || !isHeld(stage)) throw new Error(matrixWords.noPicture)
  const scale = scaleOf(range, paletteOf(false))
  const look = (value: number, hiddenBy: number): CellLook => {
    if (hiddenBy !== 0) return { fill: '#f5f3f8', ink: '#5d586e', text: '', struck: true }
    if (!Number.isFinite(value)) return { fill: '#ffffff', ink: '#8a4b00', text: digits(value, stage.name) }
    const index = indexOf(value, scale)
    const { css, inks } = scale.ramp
    return { fill: css[index] as string, ink: inks[index] as string, text: digits(value, stage.name) }
  }
  return svg(from.matrix, {
    title: words.stageTitles[stage.name],
    rowLabels: rowLabels(from, scene, place.sequence),
    columnLabels: columnLabels(from, scene, place.sequence),
    ink: '#1f1c2a',
    surface: '#ffffff',
    look,
  })
}

/** The canvas of the stage that is shown, or of its `head` where all are, wherever in the widget it stands. */
function canvasOf(host: HTMLElement, head: number): HTMLCanvasElement | undefined {
  const stage = host.shadowRoot?.querySelector('attention-stage')?.shadowRoot
  const heads = stage?.querySelector('attention-matrices')?.shadowRoot
  const matrix = stage?.querySelector('.result attention-matrix') ?? heads?.querySelectorAll('attention-matrix')[head]
  return matrix?.shadowRoot?.querySelector('canvas') ?? undefined
}
