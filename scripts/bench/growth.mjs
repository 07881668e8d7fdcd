// How time grows with T: twice the tokens are four times the work.

import { checkOutput, referenceOutput } from './agree.mjs'
import { builds, tiled } from './engines.mjs'
import { exponent, measure } from './measure.mjs'
import { problemOf } from './problem.mjs'
import { milliseconds, table } from './table.mjs'

const lengths = [256, 512, 1024, 2048, 4096]
const headDim = 64

export const growth = {
  title: `Growth of time with T, H 1, D ${headDim}`,

  async run({ engines, effort }) {
    const [build] = builds(engines)
    const contestants = lengths.map((queries) => {
      const problem = problemOf({ queries, headDim })
      return { ...tiled(engines, build, problem, String(queries), `T ${queries}`), problem }
    })
    const check = (contestant, output) => {
      const { problem } = contestant
      checkOutput(contestant, output, referenceOutput(engines, problem), problem)
    }
    const results = await measure(contestants, effort, check)
    const fitted = (kind) => exponent(lengths.map((queries) => [queries, results[queries][kind]]))
    return { results, exponentOfMedians: fitted('median'), exponentOfBest: fitted('best') }
  },

  show({ results, exponentOfMedians, exponentOfBest }) {
    const rows = Object.values(results).map(({ name, median, best }) => [
      name,
      milliseconds(median),
      milliseconds(best),
    ])
    const [medians, best] = [exponentOfMedians, exponentOfBest].map((value) => value.toFixed(2))
    const note = `  Time grows as T to the power ${medians}; the best times, ${best}.`
    return `${table(['', 'median ms', 'best'], rows)}\n${note}`
  },
}
