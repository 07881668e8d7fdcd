import { type CacheShape, KvCache } from './cache.ts'
import { type Core, isFailure, type Success } from './core.ts'
import { AttentionError } from './error.ts'
import { type FieldKinds, fail, type InputName, marshal, readFieldKinds } from './marshal.ts'
import type { Simd } from './simd.ts'

export type Problem = Parameters<Core['attend']>[0]
export type Layer = Parameters<Core['multiHead']>[0]
export type CostQuestion = Parameters<Core['cost']>[0]
export type NamedMask = Parameters<Core['mask']>[0]

/** Values row-major in a copy of their own, and the sizes of their axes. */
export type Output = Success<ReturnType<Core['attend']>>
export type Trace = Success<ReturnType<Core['trace']>>
export type LayerTrace = Success<ReturnType<Core['traceMultiHead']>>
export type Cost = Success<ReturnType<Core['cost']>>
export type BooleanMask = Success<ReturnType<Core['mask']>>

export interface Info {
  /** What computes: 'wasm', on the processor. */
  readonly backend: 'wasm'
  /** The WebAssembly build that was chosen. */
  readonly simd: Simd
  /** Worker threads besides the caller's own. */
  readonly workers: number
  /** The package's version. */
  readonly version: string
}

/**
 * Attention, computed by the C++ core. Inputs are copied in and results are
 * copied out. Every method throws an AttentionError for input that the core
 * refuses; the object stays usable.
 */
export class Attention {
  readonly info: Info
  /** The names of the bits of `hiddenBy`, lowest first. */
  readonly hiddenReasons: readonly string[]
  #core: Core | undefined
  readonly #kinds: FieldKinds

  /** Made by loadAttention(). */
  constructor(core: Core, info: Info) {
    this.info = Object.freeze(info)
    this.hiddenReasons = Object.freeze(core.hiddenReasons())
    this.#core = core
    this.#kinds = readFieldKinds(core)
  }

  /** Solves a problem. The output has the problem's layout. */
  async attend(problem: Problem): Promise<Output> {
    return this.attendSync(problem)
  }

  /** Solves a problem on the calling thread. */
  attendSync(problem: Problem): Output {
    return this.#call('attend', 'problem', problem)
  }

  /**
   * Solves a small problem and keeps every intermediate: dots (q·k), scores
   * (times scale), capped, masked (−Infinity where hidden), weights, all
   * [B, Hq, T, S]; hiddenBy, bits named by `hiddenReasons`; rowMax and rowSum
   * [B, Hq, T]; output. At most 2²² pairs of queries and keys.
   */
  trace(problem: Problem): Trace {
    return this.#call('trace', 'problem', problem)
  }

  /** A multi-head layer: projections, attention per head, output projection. */
  multiHead(layer: Layer): Output {
    return this.#call('multiHead', 'layer', layer)
  }

  /** A small multi-head layer with every stage: q, k, v, the trace, heads, output. */
  traceMultiHead(layer: Layer): LayerTrace {
    return this.#call('traceMultiHead', 'layer', layer)
  }

  /** What a problem of this shape and mask costs, counted exactly. */
  cost(question: CostQuestion): Cost {
    return this.#call('cost', 'cost', question)
  }

  /** A boolean mask [T, S] by name, for a problem's `allowed`. */
  mask(mask: NamedMask): BooleanMask {
    return this.#call('mask', 'mask', mask)
  }

  /** An empty KV cache for one sequence and layer, for decoding token by token. */
  cache(shape: CacheShape): KvCache {
    return new KvCache(this.#loaded(), this.#kinds, shape)
  }

  /** Bytes of WebAssembly memory held; it grows to what the largest call needed. */
  get memoryBytes(): number {
    return this.#core?.memoryBytes() ?? 0
  }

  /** Lets go of the WebAssembly memory. Later calls throw. */
  dispose(): void {
    this.#core = undefined
  }

  #call<Name extends 'attend' | 'trace' | 'multiHead' | 'traceMultiHead' | 'cost' | 'mask'>(
    name: Name,
    input: InputName,
    given: Parameters<Core[Name]>[0],
  ): Success<ReturnType<Core[Name]>> {
    const core = this.#loaded()
    const plain = marshal(core, this.#kinds, input, given)
    const result = (core[name] as (input: typeof plain) => ReturnType<Core[Name]>)(plain)
    if (isFailure(result)) fail(result)
    return result as Success<ReturnType<Core[Name]>>
  }

  #loaded(): Core {
    if (this.#core) return this.#core
    throw new AttentionError({
      code: 'unavailable',
      field: '',
      message: 'This attention engine was disposed of; load another one.',
    })
  }
}
