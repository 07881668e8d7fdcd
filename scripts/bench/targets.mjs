// The targets that the engine is built to, and how far this run got: a report, which
// fails nothing. A target is met by medians; the best times tell what a machine that
// was busy with other things too can do.

import { onnx } from './contestants.mjs'
import { table } from './table.mjs'

const groupQuery = 'onnx-group-query'
const otherWays = onnx.filter((id) => id !== groupQuery)
const kinds = ['median', 'best']

const result = (all, section, id) => all[section]?.results[id]

const shareOfPeak = (section, id) => (all) => {
  const found = result(all, section, id)
  return found && [found.shareOfPeak, found.bestShareOfPeak]
}

/** How many times as long the quickest of `others` takes as `id`. */
const speedUp = (section, id, others) => (all) => {
  const own = result(all, section, id)
  const slower = others.map((other) => result(all, section, other)).filter(Boolean)
  if (!own || slower.length === 0) return undefined
  return kinds.map((kind) => Math.min(...slower.map((other) => other[kind])) / own[kind])
}

const firstOverSteady = (build) => (all) => {
  const found = result(all, 'first', build)
  return found && kinds.map((kind) => found.first[kind] / found.steady[kind])
}

const microseconds = (build) => (all) => {
  const found = result(all, 'six', build)
  return found && kinds.map((kind) => 1000 * found[kind])
}

const extraMemory = (all) => {
  const longest = all.memory?.growth.find(({ queries }) => queries === 32768)
  return longest && [longest.extraBytes / 2 ** 20]
}

const brotli = (name) => (all) => all.size && [all.size.bytes[name] / 1024]

const units = {
  '%': (value) => `${(100 * value).toFixed(0)} %`,
  '×': (value) => `${value.toFixed(2)} ×`,
  MiB: (value) => `${value.toFixed(2)} MiB`,
  KiB: (value) => `${value.toFixed(1)} KiB`,
  µs: (value) => `${value.toFixed(1)} µs`,
}

// What, the limit ('≥' or '≤', a number and its unit), and [by median, by best] of all results.
const targets = [
  ...['t1024', 't2048'].flatMap((section) => [
    [`${section}, relaxed SIMD: of the peak`, '≥', 0.8, '%', shareOfPeak(section, 'relaxed')],
    [`${section}, relaxed SIMD: faster than ONNX Runtime Web`, '≥', 3.5, '×', speedUp(section, 'relaxed', onnx)],
    [`${section}, plain SIMD: of the peak`, '≥', 0.8, '%', shareOfPeak(section, 'plain')],
    [`${section}, plain SIMD: faster than ONNX Runtime Web`, '≥', 2.6, '×', speedUp(section, 'plain', onnx)],
  ]),
  ['t256, relaxed SIMD: of the peak', '≥', 0.7, '%', shareOfPeak('t256', 'relaxed')],
  ['t256, plain SIMD: of the peak', '≥', 0.7, '%', shareOfPeak('t256', 'plain')],
  ['grouped: faster than its GroupQueryAttention', '≥', 20, '×', speedUp('grouped', 'relaxed', [groupQuery])],
  ['grouped: faster than its best other way', '≥', 3, '×', speedUp('grouped', 'relaxed', otherWays)],
  ['grouped: of the peak', '≥', 0.75, '%', shareOfPeak('grouped', 'relaxed')],
  ['decode, KV cache: of the bandwidth of a sum', '≥', 0.6, '%', shareOfPeak('decode', 'relaxed-cache')],
  ['decode, K and V copied in: of the same', '≥', 0.6, '%', shareOfPeak('decode', 'relaxed')],
  ['window: faster than full', '≥', 8, '×', speedUp('window', 'window-relaxed', ['full-relaxed'])],
  ['pool: faster than one thread, t2048', '≥', 1.8, '×', speedUp('t2048', 'pool', ['relaxed'])],
  ['memory: extra at T 32768', '≤', 4, 'MiB', extraMemory],
  ['first call over steady, relaxed SIMD', '≤', 1.5, '×', firstOverSteady('relaxed')],
  ['first call over steady, plain SIMD', '≤', 1.5, '×', firstOverSteady('plain')],
  ['six tokens, relaxed SIMD', '≤', 20, 'µs', microseconds('relaxed')],
  ['six tokens, plain SIMD', '≤', 20, 'µs', microseconds('plain')],
  ['size: attention-relaxed.wasm', '≤', 40, 'KiB', brotli('attention-relaxed')],
  ['size: attention-simd.wasm', '≤', 40, 'KiB', brotli('attention-simd')],
]

/** Each target with what was measured of it, by medians and by best times, where anything was. */
export function judge(all) {
  return targets.map(([what, sense, limit, unit, measure]) => {
    const [measured, byBestTimes] = measure(all) ?? []
    const met = measured === undefined ? undefined : sense === '≥' ? measured >= limit : measured <= limit
    return { what, sense, limit, unit, measured, byBestTimes, met }
  })
}

export function showTargets(judged) {
  const measured = judged.filter(({ met }) => met !== undefined)
  const rows = measured.map(({ what, sense, limit, unit, measured: value, byBestTimes, met }) => {
    const shown = (number) => (number === undefined ? '' : units[unit](number))
    return [what, `${sense} ${shown(limit)}`, shown(value), shown(byBestTimes), met ? 'met' : 'not met']
  })
  const note = `  ${judged.length - measured.length} of ${judged.length} targets were not measured in this run.`
  return [table(['', 'target', 'measured', 'by best times', ''], rows), note].join('\n')
}
