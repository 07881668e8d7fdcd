// What the page has to show for a state: float64's numbers for the vectors and weights
// that the page itself shows, written as the page writes them.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Matrix } from '../../../web/src/lab/model/stage.ts'
import { type State, start } from '../../../web/src/lab/model/state.ts'
import { type Bounded, evaluate } from '../../node/lab/support/layer.ts'
import { requestOf } from '../../node/lab/support/request.ts'
import { cells, goTo, grid } from './lab.ts'

/** The numbers that are drawn, with all their bits: of a large matrix the table has only some, and rounded. */
const drawn = (page: Page, name: string): Promise<number[]> =>
  page
    .locator('attention-matrix')
    .filter({ has: grid(page, name) })
    .evaluate((element) => {
      const { matrix } = element as HTMLElement & { matrix: Matrix }
      const { rows, columns, offset, rowStride, columnStride, stage } = matrix
      return Array.from({ length: rows * columns }, (_, index) => {
        const [row, column] = [Math.floor(index / columns), index % columns]
        return stage.values[offset + row * rowStride + column * columnStride] as number
      })
    })

/**
 * Holds the weights of the head that is shown, or of all heads, against float64. The
 * page is to be in the state that `changes` make of the start, and shows the weights
 * when this ends.
 */
export async function expectRightWeights(page: Page, changes: Partial<State>) {
  const state = { ...start, ...changes }
  const request = requestOf(state)
  const shown = async (stage: string) => {
    await goTo(page, stage)
    await grid(page, stage).waitFor()
    return drawn(page, stage)
  }
  const x = await shown('Tokens x')
  const context = request.queries === request.keys ? x : await shown('Context')
  const [wq, wk, wv, wo] = [await shown('Wq'), await shown('Wk'), await shown('Wv'), await shown('Wo')]
  const scale = { one: 1, root: 1 / Math.sqrt(state.headDim), own: state.ownScale }[state.scale]
  const layer = evaluate(request, { x, context, wq, wk, wv, wo, scale, softcap: state.softcap })
  const { values } = layer.get('weights') as Bounded
  await goTo(page, 'Weights')
  const { queryHeads, queries, keys } = request
  for (let head = 0; head < queryHeads; ++head) {
    const name = queryHeads > 1 ? `Weights, Query head ${head}` : 'Weights'
    const expected = Array.from({ length: queries }, (_, query) =>
      Array.from({ length: keys }, (_, key) => {
        if (request.hiddenBy(0, query, key).length > 0) return 'hidden'
        return (values[(head * queries + query) * keys + key] as number).toFixed(3)
      }),
    )
    const found = async () =>
      (await cells(page, name)).map((row) => row.map((text) => text.replace(/^hidden.*/, 'hidden')))
    await expect.poll(found, { message: `head ${head}` }).toEqual(expected)
  }
}
