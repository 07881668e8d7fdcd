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

const transferShare = (section) => (all) => {
  const found = result(all, section, 'oursOver')
  return found?.transfer && kinds.map((kind) => found.transfer[kind])
}

const brotli = (name) => (all) => all.size && [all.size.bytes[name] / 1024]

const waiting =
  (of, kind = 'median') =>
  (all) =>
    all.page && [all.page[of][kind], all.page[of].best]

const units = {
  '%': (value) => `${(100 * value).toFixed(0)} %`,
  '×': (value) => `${value.toFixed(2)} ×`,
  MiB: (value) => `${value.toFixed(2)} MiB`,
  KiB: (value) => `${value.toFixed(1)} KiB`,
  ms: (value) => `${value.toFixed(1)} ms`,
  µs: (value) => `${value.toFixed(1)} µs`,
}

const threadsOverOne = (all) => {
  const [ratio] = speedUp('t2048', 'peak-threads', ['peak-relaxed', 'peak-plain'])(all)
  return units['×'](ratio)
}

// Why a target may be missed, as measured; said beside one that is.
const why = {
  kernel:
    'of the instructions 85 % are multiply-adds and what they load, at T 256 3.5 % of these for pairs that the mask ' +
    'hides; the softmax is 6 %, packing and unpacking 5 % (callgrind, SSE2).',
  first:
    'V8 begins in its baseline compiler, and what is used for the first time has to be given by the system: 2,800 page ' +
    'faults where a later call has 260. At 12 µs each, as on one machine, these are 31 of the 41 ms more.',
  decode:
    'each value that the sum adds takes two multiply-adds here. With keys and values in the caches the same work ' +
    'takes 0.8 of the time: what is left over the sum is arithmetic, not waiting for memory.',
  copied:
    'K and V are copied into WebAssembly first, which reads and writes as many bytes as the step itself reads. ' +
    'attention.cache() has them there already.',
  pool: (all) =>
    'the inputs of each part are copied once more. The first part begins 1.5 ms after the call, 0.3 ms lie between ' +
    'two of a worker, and at the end one of them has a part less to do. ' +
    `In this run two threads of the peak loop, which copy nothing, did ${threadsOverOne(all)} the work of one.`,
  gpu:
    'SwiftShader reads memory lane by lane wherever the address is not known when the shader is compiled, which ' +
    'takes longer than all the arithmetic.',
}

// What, the limit ('≥' or '≤', a number and its unit), [by median, by best] of all results,
// and why it may be missed.
const targets = [
  ...['t1024', 't2048'].flatMap((section) => [
    [
      `${section}, relaxed SIMD, over the last output: of the peak`,
      '≥',
      0.8,
      '%',
      shareOfPeak(section, 'relaxed-over'),
      why.kernel,
    ],
    [`${section}, relaxed SIMD: faster than ONNX Runtime Web`, '≥', 3.5, '×', speedUp(section, 'relaxed', onnx)],
    [
      `${section}, plain SIMD, over the last output: of the peak`,
      '≥',
      0.8,
      '%',
      shareOfPeak(section, 'plain-over'),
      why.kernel,
    ],
    [`${section}, plain SIMD: faster than ONNX Runtime Web`, '≥', 2.6, '×', speedUp(section, 'plain', onnx)],
  ]),
  [
    't256, relaxed SIMD, over the last output: of the peak',
    '≥',
    0.7,
    '%',
    shareOfPeak('t256', 'relaxed-over'),
    why.kernel,
  ],
  ['t256, plain SIMD, over the last output: of the peak', '≥', 0.7, '%', shareOfPeak('t256', 'plain-over'), why.kernel],
  ['grouped: faster than its GroupQueryAttention', '≥', 20, '×', speedUp('grouped', 'relaxed', [groupQuery])],
  ['grouped: faster than its best other way', '≥', 3, '×', speedUp('grouped', 'relaxed', otherWays)],
  ['grouped: of the peak', '≥', 0.75, '%', shareOfPeak('grouped', 'relaxed')],
  ['decode, KV cache: of the bandwidth of a sum', '≥', 0.6, '%', shareOfPeak('decode', 'relaxed-cache'), why.decode],
  ['decode, K and V copied in: of the same', '≥', 0.6, '%', shareOfPeak('decode', 'relaxed'), why.copied],
  ['window: faster than full', '≥', 8, '×', speedUp('window', 'window-relaxed', ['full-relaxed'])],
  [
    'pool: faster than one thread, t2048, both over the last output',
    '≥',
    1.8,
    '×',
    speedUp('t2048', 'pool-over', ['relaxed-over']),
    why.pool,
  ],
  ['memory: extra at T 32768', '≤', 4, 'MiB', extraMemory],
  ['first call over steady, relaxed SIMD', '≤', 1.5, '×', firstOverSteady('relaxed'), why.first],
  ['first call over steady, plain SIMD', '≤', 1.5, '×', firstOverSteady('plain'), why.first],
  ['six tokens, relaxed SIMD', '≤', 20, 'µs', microseconds('relaxed')],
  ['six tokens, plain SIMD', '≤', 20, 'µs', microseconds('plain')],
  ['gpu512: faster than ONNX Runtime Web', '≥', 3, '×', speedUp('gpu512', 'ours', ['onnx']), why.gpu],
  ['gpu1024: faster than ONNX Runtime Web', '≥', 3, '×', speedUp('gpu1024', 'ours', ['onnx']), why.gpu],
  ['gpu1024, over the last output: transfer of the whole', '≤', 0.1, '%', transferShare('gpu1024')],
  ['page: slider event to frame, median', '≤', 16, 'ms', waiting('frame')],
  ['page: slider event to frame, p95', '≤', 33, 'ms', waiting('frame', 'p95')],
  ['page: 512 tokens, interactive', '≤', 2000, 'ms', waiting('interactive')],
  ['page: 512 tokens, longest task', '≤', 200, 'ms', waiting('longest')],
  ['size: attention-relaxed.wasm', '≤', 40, 'KiB', brotli('attention-relaxed')],
  ['size: attention-simd.wasm', '≤', 40, 'KiB', brotli('attention-simd')],
  ['size: attention-gpu.wasm', '≤', 40, 'KiB', brotli('attention-gpu')],
]

/** Each target with what was measured of it, by medians and by best times, where anything was. */
export function judge(all) {
  return targets.map(([what, sense, limit, unit, measure, reason]) => {
    const [measured, byBestTimes] = measure(all) ?? []
    const met = measured === undefined ? undefined : sense === '≥' ? measured >= limit : measured <= limit
    return {
      what,
      sense,
      limit,
      unit,
      measured,
      byBestTimes,
      met,
      ...(met === false && reason && { reason: typeof reason === 'function' ? reason(all) : reason }),
    }
  })
}

export function showTargets(judged) {
  const measured = judged.filter(({ met }) => met !== undefined)
  const rows = measured.map(({ what, sense, limit, unit, measured: value, byBestTimes, met }) => {
    const shown = (number) => (number === undefined ? '' : units[unit](number))
    return [what, `${sense} ${shown(limit)}`, shown(value), shown(byBestTimes), met ? 'met' : 'not met']
  })
  const reasons = measured.flatMap(({ what, reason }) => (reason ? [`  ${what}: ${reason}`] : []))
  const note = `  ${judged.length - measured.length} of ${judged.length} targets were not measured in this run.`
  return [table(['', 'target', 'measured', 'by best times', ''], rows), ...reasons, note].join('\n')
}
