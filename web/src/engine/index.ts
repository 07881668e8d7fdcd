// The public face of the package 'attention-playground'.

export {
  Attention,
  type BooleanMask,
  type Cost,
  type CostQuestion,
  type Info,
  type Layer,
  type LayerTrace,
  type NamedMask,
  type Output,
  type Problem,
  type Trace,
} from './attention.ts'
export type { CacheShape, DecodingStep, KvCache, NewTokens } from './cache.ts'
export { AttentionError } from './error.ts'
export { type LoadOptions, loadAttention } from './load.ts'
export type { Simd } from './simd.ts'
