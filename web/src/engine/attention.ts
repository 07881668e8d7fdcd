import { type CacheShape, KvCache } from './cache.ts'
import { type Core, isFailure, type Success } from './core.ts'
import { AttentionError } from './error.ts'
import { type FieldKinds, fail, type InputName, marshal, readFieldKinds } from './marshal.ts'
import { gather, type Plan, partProblem } from './parts.ts'
import { Pool, WorkerDeath } from './pool.ts'
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
  /** Worker threads that large problems are shared out over; they start with the first one. */
  readonly workers: number
  /** The package's version. */
  readonly version: string
}

/**
 * The least work, in floating-point operations of the full square, that is shared
 * out over workers: about 15 ms of work. T 256 with 8 heads, 3 ms alone, took 6 ms
 * with two workers, T 1024 with 8 heads 30 ms alone and 20 (`npm run bench`).
 */
const worthSharing = 1e9

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
  #pool: Pool | undefined
  readonly #kinds: FieldKinds

  /** Made by loadAttention(). */
  constructor(core: Core, info: Info) {
    this.info = Object.freeze(info)
    this.hiddenReasons = Object.freeze(core.hiddenReasons())
    this.#core = core
    this.#kinds = readFieldKinds(core)
  }

  /**
   * Solves a problem; the output has the problem's layout. A large one is shared out
   * over the workers, with the same result to the last bit. An abort rejects with the
   * signal's reason.
   */
  async attend(problem: Problem, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Output> {
    signal?.throwIfAborted()
    const { workers } = this.info
    if (workers === 0) return this.attendSync(problem)
    const core = this.#loaded()
    const plain = marshal(core, this.#kinds, 'problem', problem)
    const plan = core.plan(plain, workers)
    if (isFailure(plan)) fail(plan)
    if (plan.flops < worthSharing || plan.parts.length < 2) return this.attendSync(problem)
    this.#pool ??= new Pool(this.info.simd, workers)
    return this.#attendParts(this.#pool, plain, plan, signal)
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

  /** Not part of this version: throws an AttentionError that says so. */
  diagnose(_problem: unknown): never {
    fail(this.#loaded().unavailable('diagnose()', 'compare your output with attend() or trace()'))
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
    this.#pool?.end(disposed())
    this.#pool = undefined
  }

  async #attendParts(pool: Pool, problem: Problem, plan: Plan, signal: AbortSignal | undefined): Promise<Output> {
    const whole = gather(plan)
    // Stops the parts that are still waiting, when the caller or a failed part says so.
    const stop = new AbortController()
    const abort = () => stop.abort(signal?.reason)
    signal?.addEventListener('abort', abort)
    const stopped = new Promise<never>((_, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason))
    })
    const parts = plan.parts.map(async (part) => {
      const result = await pool.solve(() => partProblem(problem, plan, part), stop.signal)
      if (isFailure(result)) fail(result)
      whole.put(part, result.output)
    })
    try {
      await Promise.race([Promise.all(parts), stopped])
      return whole.output
    } catch (error) {
      stop.abort(error)
      if (error instanceof WorkerDeath) fail(this.#loaded().workerDied(error.message))
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
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
    throw disposed()
  }
}

const disposed = () =>
  new AttentionError({
    code: 'unavailable',
    field: '',
    message: 'This attention engine was disposed of; load another one.',
  })
