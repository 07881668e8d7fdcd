// Drawn matrices on a page of their own, and what can be read of them there.

import type { Page } from 'playwright-core'
import { inject } from 'vitest'
import type { Stage } from '../../../web/src/lab/model/stage.ts'
import type { Harness, Question } from '../harness/matrix.ts'
import { useSite } from './site.ts'

declare global {
  interface Window {
    matrices: Harness
  }
}

type Open = ReturnType<typeof useSite>

/** Call at the top of a test file; what it returns opens the page for matrices. */
export function useMatrices() {
  const open = useSite()
  return (options: Parameters<Open>[0] = {}) =>
    open({
      address: inject('harness'),
      ready: (page) => page.waitForFunction(() => 'matrices' in window),
      viewport: { width: 768, height: 900 },
      ...options,
    })
}

export const sixTokens = 'Your journey starts with one step'.split(' ')

/** As many different tokens as asked for. */
export const numbered = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`)

interface Shown {
  /** Properties of the element besides the matrix. */
  readonly properties?: Record<string, unknown>
}

/** Shows the engine's weights of some tokens, or another stage of them. */
export async function showTraced(
  page: Page,
  question: Question,
  { name = 'weights' as const, properties = {} }: Shown & { name?: 'weights' | 'scores' | 'dots' | 'masked' } = {},
) {
  await page.evaluate(
    async ({ question, name, properties }) => {
      const { matrices } = window
      await matrices.show('attention-matrix', {
        matrix: matrices.matrixOf(matrices.traced(question, name)),
        rowLabels: question.tokens,
        columnLabels: question.tokens,
        caption: 'Weights',
        ...properties,
      })
    },
    { question, name, properties },
  )
  await settled(page)
}

/** Shows given numbers. */
export async function showGiven(
  page: Page,
  values: readonly (readonly number[])[],
  { stage = {}, properties = {} }: Shown & { stage?: Partial<Stage> } = {},
) {
  await page.evaluate(
    async ({ values, stage, properties }) => {
      const { matrices } = window
      const columns = values[0]?.length ?? 0
      const labels = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)
      await matrices.show('attention-matrix', {
        matrix: matrices.matrixOf(matrices.given(values.length, columns, values.flat(), stage)),
        rowLabels: labels(values.length),
        columnLabels: labels(columns),
        caption: 'Given',
        ...properties,
      })
    },
    { values, stage, properties },
  )
  await settled(page)
}

/** Sets properties of the shown element. */
export async function set(page: Page, properties: Record<string, unknown>) {
  await page
    .locator('attention-matrix')
    .first()
    .evaluate((element, properties) => {
      Object.assign(element, properties)
    }, properties)
  await settled(page)
}

/** When everything is rendered and drawn: two frames later. */
export const settled = (page: Page) =>
  page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  )

export interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of a device pixel. */
  at(x: number, y: number): number[]
  /** The pixels of a cell, without `margin` device pixels at its edges, as strings. */
  cell(row: number, column: number, margin?: number): string[]
}

/** What is on a canvas, whose cells have the given rows and columns. */
export async function pictureOf(page: Page, rows: number, columns: number, selector = 'canvas'): Promise<Picture> {
  const { width, height, text } = await page
    .locator('attention-matrix')
    .first()
    .evaluate((element, selector) => {
      const canvas = element.shadowRoot?.querySelector(selector) as HTMLCanvasElement
      const copy = document.createElement('canvas')
      const { width, height } = canvas
      Object.assign(copy, { width, height })
      const context = copy.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D
      context.drawImage(canvas, 0, 0)
      // As one text: a list of numbers takes a hundred times as long on its way here.
      const { data } = context.getImageData(0, 0, width, height)
      return { width, height, text: Array.from(data, (byte) => String.fromCharCode(byte)).join('') }
    }, selector)
  const data = Buffer.from(text, 'latin1')
  const at = (x: number, y: number) => Array.from(data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4))
  return {
    width,
    height,
    at,
    cell(row, column, margin = 3) {
      const [w, h] = [width / columns, height / rows]
      const pixels: string[] = []
      for (let y = row * h + margin; y < (row + 1) * h - margin; ++y) {
        for (let x = column * w + margin; x < (column + 1) * w - margin; ++x) pixels.push(at(x, y).join(' '))
      }
      return pixels
    },
  }
}

/** The colour that most of a cell's pixels have. */
export function colourOf(pixels: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

/** The middle of a cell in the window. */
export async function centre(page: Page, row: number, column: number, rows: number, columns: number) {
  const box = await page.locator('attention-matrix .cells').first().boundingBox()
  if (!box) throw new Error('There are no cells.')
  return {
    x: box.x + ((column + 0.5) * box.width) / columns,
    y: box.y + ((row + 0.5) * box.height) / rows,
  }
}

/** What the element has fired since the last call. */
export const fired = (page: Page) => page.evaluate(() => window.matrices.fired.splice(0))

/** The table's rows as texts, headers too. */
export const told = (page: Page): Promise<string[][]> =>
  page
    .locator('attention-matrix [role=grid]')
    .first()
    .evaluate((table) =>
      Array.from(table.querySelectorAll('[role=row]'), (row) =>
        Array.from(row.querySelectorAll('th, [role=gridcell]'), (cell) => (cell.textContent ?? '').trim()),
      ),
    )
