// The public face of the package 'attention-playground'.

export {
  Attention,
  type Backend,
  type BooleanMask,
  type CellRecord,
  type Cells,
  type Cost,
  type CostQuestion,
  type Info,
  type InspectedLayer,
  type Layer,
  type LayerTrace,
  type LayerValues,
  type NamedMask,
  type Output,
  type Preset,
  type Problem,
  type Reusing,
  type Solved,
  type Trace,
  type Weights,
} from './attention.ts'
export type { CacheShape, DecodingStep, KvCache, NewTokens } from './cache.ts'
export { AttentionError } from './error.ts'
export type { GpuTimes } from './gpu/driver.ts'
export { type LoadOptions, loadAttention } from './load.ts'
export type { Simd } from './simd.ts'
