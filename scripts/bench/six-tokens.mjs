// The smallest problem, six tokens of three features: what a call costs by itself.

import { checkOutput, referenceOutput } from './agree.mjs'
import { builds, tiled } from './engines.mjs'
import { summary } from './measure.mjs'
import { problemOf } from './problem.mjs'
import { table } from './table.mjs'

const shape = { queries: 6, headDim: 3 }
const calls = 20_000

function timesOf(run) {
  const times = []
  for (let call = 0; call < calls; call++) {
    const start = performance.now()
    run()
    times.push(performance.now() - start)
  }
  return times
}

export const sixTokens = {
  title: 'Six tokens by attendSync, through the whole JavaScript face',

  run({ engines }) {
    const problem = problemOf(shape)
    const results = {}
    for (const build of builds(engines)) {
      const contestant = tiled(engines, build, problem)
      checkOutput(contestant, contestant.run(), referenceOutput(engines, problem), problem)
      timesOf(contestant.run) // the warm-up
      results[build] = { name: contestant.name, ...summary(timesOf(contestant.run)) }
    }
    return { shape, results }
  },

  show({ results }) {
    const microseconds = (value) => (1000 * value).toFixed(1)
    const rows = Object.values(results).map(({ name, median, lowerQuartile, upperQuartile, best }) => [
      ...[name, microseconds(median)],
      ...[`${microseconds(lowerQuartile)} to ${microseconds(upperQuartile)}`, microseconds(best)],
    ])
    return table(['', 'median µs', 'middle half', 'best'], rows)
  },
}
