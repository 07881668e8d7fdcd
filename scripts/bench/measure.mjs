// Times contestants in rounds, so that whatever else the machine does meets them all.
// A contestant is { id, name, run }; run() gives a result or promises it. What ran in
// another process says its own `milliseconds`, which are without the way there.

async function timed(run) {
  const start = performance.now()
  let result = run()
  if (result instanceof Promise) result = await result
  return { result, milliseconds: result?.milliseconds ?? performance.now() - start }
}

export const time = async (run) => (await timed(run)).milliseconds

/**
 * Several calls, because V8 replaces its baseline code only between calls. Resolves to
 * the milliseconds of the last one; `check` gets the first result.
 */
async function warmUp(run, seconds, check) {
  const start = performance.now()
  const { result, milliseconds } = await timed(run)
  check(result)
  let last = milliseconds
  while (performance.now() - start < 1000 * seconds) last = await time(run)
  return last
}

/**
 * Checks each contestant's result, then times them all. Each takes part in as many of
 * the rounds as fit into its `seconds`, spread evenly; one that is quicker than a
 * round's part of them is called again and again in its turn, as a program does that has
 * a layer for every token: only its first call finds the caches full of another's
 * numbers. Without `repeats` it is called once in its turn, and always finds them so.
 * Each round begins with another contestant, since neighbours share caches.
 */
export async function measure(contestants, { seconds, rounds, fewest, repeats = true }, check = () => {}) {
  const entries = []
  for (const contestant of contestants) {
    const expected = await warmUp(contestant.run, seconds / 2, (result) => check(contestant, result))
    const wanted = Math.min(rounds, Math.max(fewest, Math.floor((1000 * seconds) / expected)))
    entries.push({ ...contestant, wanted, turns: 0, times: [] })
  }
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < entries.length; place++) {
      const entry = entries[(round + place) % entries.length]
      if (entry.turns >= Math.ceil(((round + 1) * entry.wanted) / rounds)) continue
      entry.turns++
      const end = performance.now() + (1000 * seconds) / rounds
      do entry.times.push(await time(entry.run))
      while (repeats && performance.now() < end)
    }
  }
  return Object.fromEntries(entries.map(({ id, name, times }) => [id, { name, ...summary(times) }]))
}

const atFraction = (sorted, fraction) => sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))]

/** Of times in milliseconds: the median, the middle half, the best, and how many there were. */
export function summary(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const [lowerQuartile, median, upperQuartile] = [0.25, 0.5, 0.75].map((fraction) => atFraction(sorted, fraction))
  return { median, lowerQuartile, upperQuartile, best: sorted[0], count: sorted.length }
}

/** The exponent p of y ~ x^p: the slope of the straight line through the logarithms. */
export function exponent(points) {
  const logarithms = points.map(([x, y]) => [Math.log(x), Math.log(y)])
  const mean = (value) => logarithms.reduce((sum, point) => sum + value(point), 0) / logarithms.length
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)]
  return mean(([x, y]) => (x - meanX) * (y - meanY)) / mean(([x]) => (x - meanX) ** 2)
}
