import { buffersOf } from './buffers.ts'
import { type CacheShape, KvCache } from './cache.ts'
import { type CopyOut, over } from './copy-out.ts'
import { type Core, isFailure, type Success } from './core.ts'
import { AttentionError } from './error.ts'
import type { GpuTimes } from './gpu/driver.ts'
import type { GpuPath } from './gpu/path.ts'
import { type FieldKinds, fail, type InputName, marshal, readFieldKinds, succeeded } from './marshal.ts'
import { gather, type Plan, partProblem, partRoom } from './parts.ts'
import { Pool, WorkerDeath } from './pool.ts'
import type { Simd } from './simd.ts'
import { traceWeights } from './weights.ts'

export type Problem = Parameters<Core['attend']>[0]
export type Layer = Parameters<Core['multiHead']>[0]
export type InspectedLayer = Parameters<Core['inspect']>[0]
export type CostQuestion = Parameters<Core['cost']>[0]
export type NamedMask = Parameters<Core['mask']>[0]
export type Preset = Parameters<Core['preset']>[0]

/** Values row-major in a copy of their own, and the sizes of their axes. */
export type Output = Success<ReturnType<Core['attend']>>
export type Trace = Success<ReturnType<Core['trace']>>
export type LayerTrace = Success<ReturnType<Core['traceMultiHead']>>
/** What is behind a cell; `Cells` are those of `stage` from `index` on, `count` of them along `axis`. */
export type CellRecord = Success<ReturnType<Core['inspect']>>
export type Cells = CellRecord['sources'][number]
export type Cost = Success<ReturnType<Core['cost']>>
export type LayerValues = Success<ReturnType<Core['preset']>>
export type BooleanMask = Success<ReturnType<Core['mask']>>

/** What attend() gives: an output, and who computed it. */
export interface Solved extends Output {
  readonly backend: Backend
  /** Why WASM computed it, where the GPU was wanted. */
  readonly why?: string | undefined
  /** Milliseconds on the GPU, where it computed. */
  readonly times?: GpuTimes | undefined
}

/** The weights [B, Hq, T, S], and who computed them. */
export interface Weights extends Omit<Solved, 'output'> {
  readonly weights: Float32Array
}

/** On the processor, or on the graphics card. */
export type Backend = 'wasm' | 'webgpu'

export interface Info {
  /** What attend() computes large problems on, and with `backend: 'webgpu'` small ones too. */
  readonly backend: Backend
  /** Why that one, in a sentence. */
  readonly why: string
  /** The GPU in the words of its maker, once it was looked at. */
  readonly adapter?: string | undefined
  /** The WebAssembly build that was chosen. */
  readonly simd: Simd
  /** Worker threads that large problems are shared out over; they start with the first one. */
  readonly workers: number
  /** The package's version. */
  readonly version: string
}

interface Abortable {
  signal?: AbortSignal | undefined
}

/**
 * An earlier result that nobody needs any more, and no call under way has. Its arrays may
 * be written over, even by a call that fails, but not after it has; those that fit stand in
 * the new result. For a loop that asks again and again: memory that is there already is
 * quicker to write than new memory.
 */
export interface Reusing<Result> {
  reuse?: Result | undefined
}

/**
 * The least work, in floating-point operations of the full square, that is shared
 * out over workers: about 15 ms of work. T 256 with 8 heads, 3 ms alone, took 6 ms
 * with two workers, T 1024 with 8 heads 30 ms alone and 20 (`npm run bench`).
 */
const worthSharing = 1e9

/**
 * Attention, computed by the C++ core. Inputs are copied in and results are copied out,
 * into new arrays unless `reuse` offers old ones. Every method throws an AttentionError
 * for input that the core refuses; the object stays usable.
 */
export class Attention {
  /** The names of the bits of `hiddenBy`, lowest first. */
  readonly hiddenReasons: readonly string[]
  #core: Core | undefined
  #pool: Pool | undefined
  readonly #kinds: FieldKinds
  readonly #fixed: Pick<Info, 'simd' | 'workers' | 'version'>
  readonly #gpu: GpuPath | undefined

  /** Made by loadAttention(). */
  constructor(core: Core, fixed: Pick<Info, 'simd' | 'workers' | 'version'>, gpu?: GpuPath) {
    this.#fixed = fixed
    this.#gpu = gpu
    this.hiddenReasons = Object.freeze(core.hiddenReasons())
    this.#core = core
    this.#kinds = readFieldKinds(core)
  }

  /** What computes, and why. It changes when the GPU is opened, measured or lost. */
  get info(): Info {
    const chosen = this.#core?.gpuReason(this.#core.GpuReason.chosen, '').error.message ?? ''
    const { backend, why, adapter } = this.#gpu?.state ?? { backend: 'wasm', why: chosen, adapter: undefined }
    return Object.freeze({ backend, why, adapter, ...this.#fixed })
  }

  /**
   * Solves a problem; the output has the problem's layout. The GPU computes it where
   * `info` says so. Otherwise a large one is shared out over the workers, with the same
   * result to the last bit. An abort rejects with the signal's reason.
   */
  async attend(problem: Problem, { signal, reuse }: Abortable & Reusing<Output> = {}): Promise<Solved> {
    signal?.throwIfAborted()
    const core = this.#loaded()
    const plain = marshal(core, this.#kinds, 'problem', problem)
    // Inputs are read while parts of the output are written already.
    const spare = buffersOf(plain).some((buffer) => buffer === reuse?.output?.buffer) ? undefined : reuse
    const solution = await this.#gpu?.solve('output', plain, { signal, room: spare?.output })
    if (typeof solution === 'object') {
      const { values, shape, times } = solution
      return { output: values, shape, backend: 'webgpu', times }
    }
    return { ...(await this.#attendOnWasm(plain, signal, spare)), backend: 'wasm', why: solution }
  }

  /**
   * The weights [B, Hq, T, S] of a problem of any size, for display; trace() gives those
   * of a small one with every other stage.
   */
  async weights(problem: Problem, { signal }: Abortable = {}): Promise<Weights> {
    signal?.throwIfAborted()
    const core = this.#loaded()
    const plain = marshal(core, this.#kinds, 'problem', problem)
    const solution = await this.#gpu?.solve('weights', plain, { signal })
    if (typeof solution === 'object') {
      const { values, shape, times } = solution
      return { weights: values, shape, backend: 'webgpu', times }
    }
    signal?.throwIfAborted()
    return { ...traceWeights(core, plain), backend: 'wasm', why: solution }
  }

  /** Solves a problem on the calling thread. */
  attendSync(problem: Problem, { reuse }: Reusing<Output> = {}): Output {
    return this.#callOver('attend', 'problem', problem, reuse)
  }

  /**
   * Solves a small problem and keeps every intermediate: dots (q·k), scores
   * (times scale), capped, masked (−Infinity where hidden), weights, all
   * [B, Hq, T, S]; hiddenBy, bits named by `hiddenReasons`; rowMax and rowSum
   * [B, Hq, T]; output. At most 2²² pairs of queries and keys.
   */
  trace(problem: Problem, { reuse }: Reusing<Trace> = {}): Trace {
    return this.#callOver('trace', 'problem', problem, reuse)
  }

  /** A multi-head layer: projections, attention per head, output projection. */
  multiHead(layer: Layer, { reuse }: Reusing<Output> = {}): Output {
    return this.#callOver('multiHead', 'layer', layer, reuse)
  }

  /** A small multi-head layer with every stage: q, k, v, the trace, heads, output. */
  traceMultiHead(layer: Layer, { reuse }: Reusing<LayerTrace> = {}): LayerTrace {
    return this.#callOver('traceMultiHead', 'layer', layer, reuse)
  }

  /** The same in a worker, if there are any, so that the calling thread stays free. */
  async traceMultiHeadAside(layer: Layer, { signal }: Abortable = {}): Promise<LayerTrace> {
    signal?.throwIfAborted()
    if (this.#fixed.workers === 0) return this.traceMultiHead(layer)
    return this.#aside(layer, (pool, plain) => pool.trace(plain, signal), signal)
  }

  /** A layer's output, computed in a worker, if there are any. */
  async multiHeadAside(layer: Layer, { signal }: Abortable = {}): Promise<Output> {
    signal?.throwIfAborted()
    if (this.#fixed.workers === 0) return this.multiHead(layer)
    return this.#aside(layer, (pool, plain) => pool.output(plain, signal), signal)
  }

  async #aside<Result>(
    layer: Layer,
    ask: (pool: Pool, plain: Layer) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Success<Result>> {
    const { simd, workers } = this.#fixed
    const plain = marshal(this.#loaded(), this.#kinds, 'layer', layer)
    this.#pool ??= new Pool(simd, workers)
    try {
      const result = await ask(this.#pool, plain)
      signal?.throwIfAborted()
      if (isFailure(result)) fail(result)
      return result as Success<Result>
    } catch (error) {
      throw this.#explained(error)
    }
  }

  /**
   * What is behind the cell at `index` of a layer's `stage`: its value, to the last
   * bit as traceMultiHead() has it, the operation, and the cells it was made from. Of
   * sums of products all terms with the sum so far (`counted` is 0 where a key is
   * hidden); of a query and a key everything from the dot product to the weight.
   */
  inspect(layer: InspectedLayer): CellRecord {
    return this.#call('inspect', 'inspect', layer)
  }

  /** What a problem of this shape and mask costs, counted exactly. */
  cost(question: CostQuestion): Cost {
    return this.#call('cost', 'cost', question)
  }

  /** A boolean mask [T, S] by the name of its rule, for a problem's `allowed`, and the rule as a line of code. */
  mask(mask: NamedMask): BooleanMask {
    return this.#call('mask', 'mask', mask)
  }

  /**
   * The tensors of a layer to start from: the identity, zeros, random numbers that are
   * the same everywhere, or weights made by hand with which every head looks at the
   * previous, the first or the same token. `x` [B, T, M] are the last tokens of
   * `context` [B, S, M].
   */
  preset(preset: Preset): LayerValues {
    return this.#call('preset', 'preset', preset)
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
    this.#gpu?.dispose()
    this.#pool?.end(disposed())
    this.#pool = undefined
  }

  async #attendOnWasm(plain: Problem, signal: AbortSignal | undefined, reuse: Output | undefined): Promise<Output> {
    signal?.throwIfAborted()
    const core = this.#loaded()
    const { simd, workers } = this.#fixed
    const plan = workers > 0 ? core.plan(plain, workers) : undefined
    if (isFailure(plan)) fail(plan)
    if (!plan || plan.flops < worthSharing || plan.parts.length < 2) return this.attendSync(plain, { reuse })
    this.#pool ??= new Pool(simd, workers)
    return this.#attendParts(this.#pool, plain, plan, signal, reuse)
  }

  async #attendParts(
    pool: Pool,
    problem: Problem,
    plan: Plan,
    signal: AbortSignal | undefined,
    reuse: Output | undefined,
  ): Promise<Output> {
    let whole: ReturnType<typeof gather> | undefined
    // Stops the parts that are still waiting, when the caller or a failed part says so.
    const stop = new AbortController()
    const abort = () => stop.abort(signal?.reason)
    signal?.addEventListener('abort', abort)
    const stopped = new Promise<never>((_, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason))
    })
    const parts = plan.parts.map(async (part) => {
      const result = await pool.solve(
        (takeSpare) => ({
          problem: partProblem(problem, plan, part, takeSpare),
          room: partRoom(plan, part, takeSpare),
        }),
        stop.signal,
      )
      if (isFailure(result)) fail(result)
      // What comes too late is put nowhere: the caller has the array again.
      if (stop.signal.aborted) return pool.keep(buffersOf(result) as ArrayBuffer[])
      // Made while the threads work and not before: 4 MB take 0.5 ms.
      whole ??= gather(plan, reuse)
      whole.put(part, result.output)
      pool.keep(buffersOf(result) as ArrayBuffer[])
    })
    try {
      await Promise.race([Promise.all(parts), stopped])
      return (whole ?? gather(plan, reuse)).output
    } catch (error) {
      stop.abort(error)
      throw this.#explained(error)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  #call<Name extends 'inspect' | 'cost' | 'mask' | 'preset'>(
    name: Name,
    input: InputName,
    given: Parameters<Core[Name]>[0],
  ): Success<ReturnType<Core[Name]>> {
    const core = this.#loaded()
    const plain = marshal(core, this.#kinds, input, given)
    return succeeded((core[name] as (input: typeof plain) => ReturnType<Core[Name]>)(plain))
  }

  /** The same of what has a large result. */
  #callOver<Name extends 'attend' | 'trace' | 'multiHead' | 'traceMultiHead'>(
    name: Name,
    input: InputName,
    given: Parameters<Core[Name]>[0],
    reuse: object | undefined,
  ): Success<ReturnType<Core[Name]>> {
    const core = this.#loaded()
    const plain = marshal(core, this.#kinds, input, given)
    const call = core[name] as (input: typeof plain, copyOut: CopyOut) => ReturnType<Core[Name]>
    return succeeded(call(plain, over(reuse)))
  }

  /** The error as a caller gets it. */
  #explained(error: unknown): unknown {
    return error instanceof WorkerDeath ? new AttentionError(this.#loaded().workerDied(error.message).error) : error
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
