// One problem, solved by everything that can: times, rates and shares of the peak.

import { checkOutput, referenceOutput } from './agree.mjs'
import { makeContestants, reasonWithout } from './contestants.mjs'
import { builds, workers } from './engines.mjs'
import { measure } from './measure.mjs'
import { computePeak, memoryPeak, threadsPeak } from './peaks.mjs'
import { problemOf } from './problem.mjs'
import { milliseconds, percent, table } from './table.mjs'

/** How long a peak takes for all the work of a problem, and what its rate is called. */
const peakKinds = {
  compute: { unit: 'GFLOP/s', work: ({ visibleFlops }) => visibleFlops, make: computePeak },
  memory: { unit: 'GB/s', work: ({ cacheBytes }) => cacheBytes, make: (build, bytes) => memoryPeak(build, bytes / 4) },
}

/** `resident`: see makeContestants(). `slow`: not part of --quick, which has `quickIds` elsewhere. */
export function race({ title, shape, ids, quickIds = ids, peak = 'compute', resident = false, slow = false }) {
  const { unit, work: workOf, make: makePeak } = peakKinds[peak]
  return { title, slow, run, show }

  async function run(context) {
    const { engines, leftOut } = context
    const problem = problemOf(shape)
    const chosen = context.quick ? quickIds : ids
    const contestants = await makeContestants(chosen, problem, context, { resident })
    const work = workOf(engines.plain.cost(shape))
    const peaks = builds(engines).map((build) => makePeak(build, work))
    if (contestants.some(({ id }) => id === 'pool-over')) peaks.push(threadsPeak(builds(engines)[0], work, workers))
    const expected = referenceOutput(engines, problem)
    // A model's other layers have been through the caches since a layer's keys and values were last read.
    const effort = { ...context.effort, repeats: peak !== 'memory' }
    const times = await measure([...contestants, ...peaks], effort, (contestant, output) => {
      if (!peaks.includes(contestant)) checkOutput(contestant, output, expected, problem)
    })
    for (const { close } of [...contestants, ...peaks]) await close?.()

    const results = {}
    for (const { id, instructions = 'plain' } of contestants) {
      results[id] = { ...times[id], ...rates(times[id], times[`peak-${instructions}`], work) }
    }
    for (const { id } of peaks) {
      const own = id === 'peak-threads' ? times[`peak-${builds(engines)[0]}`] : times[id]
      results[id] = { ...times[id], ...rates(times[id], own, work) }
    }
    const reasons = chosen.map((id) => [id, reasonWithout(id, leftOut)])
    return { shape, work, unit, results, without: Object.fromEntries(reasons.filter(([, reason]) => reason)) }
  }

  function show({ results, without }) {
    const rows = Object.values(results).map((result) => [
      ...[result.name, milliseconds(result.median)],
      `${milliseconds(result.lowerQuartile)} to ${milliseconds(result.upperQuartile)}`,
      ...[milliseconds(result.best), String(result.count)],
      ...[result.perSecond.toPrecision(3), percent(result.shareOfPeak), percent(result.bestShareOfPeak)],
    ])
    const head = ['', 'median ms', 'middle half', 'best', 'calls', unit, 'of peak', 'by best']
    const reasons = Object.entries(without).map(([id, reason]) => `  without ${id}: ${reason}`)
    return [table(head, rows), ...reasons].join('\n')
  }
}

/** Rates in 10⁹ a second. The peak does the same work: its time is the share. */
const rates = ({ median, best }, peak, work) => ({
  perSecond: work / median / 1e6,
  bestPerSecond: work / best / 1e6,
  shareOfPeak: peak.median / median,
  bestShareOfPeak: peak.best / best,
})
