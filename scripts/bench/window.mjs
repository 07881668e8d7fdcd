// What a window saves: the same tokens with the last 256 keys and with all of them.

import { checkOutput, referenceOutput } from './agree.mjs'
import { builds, tiled } from './engines.mjs'
import { measure } from './measure.mjs'
import { problemOf } from './problem.mjs'
import { milliseconds, table } from './table.mjs'

const shape = { queries: 8192, headDim: 64 }
const window = 256

export const windowed = {
  title: `A window of ${window} at T ${shape.queries}, H 1, D ${shape.headDim}`,

  async run({ engines, effort }) {
    const full = problemOf(shape)
    const contestants = []
    for (const [kind, problem] of Object.entries({ full, window: { ...full, window } })) {
      const expected = referenceOutput(engines, problem)
      for (const build of builds(engines)) {
        const made = tiled(engines, build, problem, `${kind}-${build}`, `tiled, ${build} SIMD, ${kind}`)
        contestants.push({ ...made, expected })
      }
    }
    const check = (contestant, output) => checkOutput(contestant, output, contestant.expected, full)
    return { shape, window, results: await measure(contestants, effort, check) }
  },

  show: ({ results }) =>
    table(
      ['', 'median ms', 'best'],
      Object.values(results).map(({ name, median, best }) => [name, milliseconds(median), milliseconds(best)]),
    ),
}
