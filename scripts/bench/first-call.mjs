// The first call in a fresh process against later ones: V8 begins in its baseline
// compiler, and has no way to change over within a call.

import { builds } from './engines.mjs'
import { inFreshProcess } from './fresh-process.mjs'
import { summary } from './measure.mjs'
import { milliseconds, table } from './table.mjs'

const shape = { queries: 4096, headDim: 64 }
const calls = 12
const steadyFrom = 5

export const firstCall = {
  title: `The first call in a fresh process, T ${shape.queries}, H 1, D ${shape.headDim}`,

  async run({ quick, engines }) {
    const times = builds(engines).map((build) => ({ build, first: [], steady: [] }))
    for (let round = 0; round < (quick ? 2 : 9); round++) {
      for (const { build, first, steady } of times) {
        const all = (await inFreshProcess(build, shape, calls)).times
        first.push(all[0])
        steady.push(summary(all.slice(steadyFrom)).median)
      }
    }
    const results = times.map(({ build, first, steady }) => [build, { first: summary(first), steady: summary(steady) }])
    return { shape, results: Object.fromEntries(results) }
  },

  show({ results }) {
    const rows = Object.entries(results).map(([build, { first, steady }]) => [
      `tiled, ${build} SIMD`,
      ...[first.median, first.best, steady.median, steady.best].map(milliseconds),
    ])
    return table(['', 'first, median ms', 'best', 'steady, median ms', 'best'], rows)
  },
}
