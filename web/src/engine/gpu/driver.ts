// Executes the core's plans on a device: uploads, dispatches, reads back. It knows no
// rule of attention.

import type { Problem } from '../attention.ts'
import { roomFor } from '../copy-out.ts'
import type { GpuPlan } from '../core.ts'
import { laidOut, place, type Range } from '../slices.ts'
import { BufferPool, type Usage } from './buffers.ts'
import { type Kernel, Pipelines } from './pipelines.ts'
import { type GpuPass, hasHalves, queryHeads, type Tensors, tensorsOf } from './tensors.ts'
import { detailOf, GpuTrouble } from './trouble.ts'

/** Milliseconds of one call. */
export interface GpuTimes {
  /** Of the kernels, by the device's clock; undefined where it has none to read. */
  readonly kernel: number | undefined
  /** Of it all, from the first upload to the output in an array. */
  readonly total: number
}

export interface Solving {
  readonly signal?: AbortSignal | undefined
  /** Where the values are written to, if there are as many. */
  readonly room?: Float32Array | undefined
}

export interface GpuSolution {
  /** The output in the problem's layout, or the weights [B, Hq, T, S]. */
  readonly values: Float32Array
  readonly shape: number[]
  readonly times: GpuTimes
}

/**
 * Features that make it faster or measure it, and that it does without. By shader-f16 float16 keys and
 * values are taken as they are. Nothing is ever rounded to float16: that would break the
 * contract's accuracy.
 */
const useful = ['subgroups', 'shader-f16', 'timestamp-query'] as const

/** Limits that are asked for as high as the adapter has them, for larger buffers. */
const raised = ['maxStorageBufferBindingSize', 'maxBufferSize'] as const

const stampBytes = 16
const mapRead = 1 // GPUMapMode.READ

export class GpuDriver {
  readonly device: GPUDevice
  /** Held, because Dawn ends the process if it is collected before its devices. */
  readonly gpu: GPU | undefined
  /** The adapter in the words of its maker. */
  readonly adapter: string
  /** Which useful features the device is without, in a clause; empty if none. */
  readonly lacking: string
  /** Why the device was lost, if it was. */
  lost: GPUDeviceLostInfo | undefined
  readonly #buffers: BufferPool
  readonly #pipelines: Pipelines
  readonly #timestamps: GPUQuerySet | undefined
  /** Settles when the last call has its turn behind it. */
  #turn: Promise<unknown> = Promise.resolve()

  /** Asks for an adapter and a device. Rejects with a GpuTrouble where there is none. */
  static async open(gpu: GPU): Promise<GpuDriver> {
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' }).catch((error) => {
      throw new GpuTrouble('noAdapter', detailOf(error))
    })
    if (!adapter) throw new GpuTrouble('noAdapter')
    const requiredFeatures = useful.filter((feature) => adapter.features.has(feature))
    const requiredLimits = Object.fromEntries(raised.map((limit) => [limit, adapter.limits[limit]]))
    const device = await adapter.requestDevice({ requiredFeatures, requiredLimits }).catch((error) => {
      throw new GpuTrouble('noDevice', detailOf(error))
    })
    const { vendor, architecture, description } = adapter.info
    return new GpuDriver(device, [vendor, architecture, description].filter(Boolean).join(' ') || 'unnamed', gpu)
  }

  constructor(device: GPUDevice, adapter: string, gpu?: GPU) {
    this.device = device
    this.gpu = gpu
    this.adapter = adapter
    const missing = useful.filter((feature) => !device.features.has(feature)).join(', ')
    this.lacking = missing && `without ${missing}, which the device lacks`
    this.#buffers = new BufferPool(device)
    this.#pipelines = new Pipelines(device)
    const timed = device.features.has('timestamp-query')
    this.#timestamps = timed ? device.createQuerySet({ type: 'timestamp', count: 2 }) : undefined
    device.lost.then((info) => {
      this.lost = info
    })
  }

  /**
   * Does the work of a plan; `problem` is marshalled, its arrays are typed. Calls have
   * their turn one after another, each with one readback for a pass. An abort rejects
   * at once with the signal's reason. Rejects with a GpuTrouble where the GPU failed.
   */
  solve(kernel: Kernel, problem: Problem, plan: GpuPlan, { signal, room }: Solving = {}): Promise<GpuSolution> {
    const work = this.#turn.then(() => {
      signal?.throwIfAborted()
      return this.#execute(kernel, problem, plan, { signal, room })
    })
    this.#turn = work.catch(() => {})
    return signal ? untilAborted(work, signal) : work
  }

  destroy(): void {
    this.device.destroy()
  }

  async #execute(kernel: Kernel, problem: Problem, plan: GpuPlan, { signal, room }: Solving): Promise<GpuSolution> {
    const { shape } = plan
    const { headsFirst } = kernel === 'output' ? shape : { headsFirst: true }
    const width = kernel === 'output' ? shape.valueDim : shape.keys
    const sizes = laidOut(headsFirst, [shape.batch, shape.queryHeads, shape.queries, width])
    const halves = plan.aligned && this.device.features.has('shader-f16') && hasHalves(problem)
    let kernelTime: number | undefined = 0
    const start = performance.now()
    let values: Float32Array
    try {
      values = roomFor(sizes, room)
      for (const pass of plan.passes) {
        signal?.throwIfAborted()
        const pipeline = await this.#pipelines.get(kernel, plan, halves)
        const ranges = [pass.batch, queryHeads(plan, pass), pass.queries, [0, width]] as const
        const put = (part: Float32Array) => {
          // What comes too late is put nowhere: the caller has the array again.
          signal?.throwIfAborted()
          place(part, values, sizes, laidOut<Range>(headsFirst, ranges))
        }
        const tensors = tensorsOf(problem, plan, pass, halves)
        const time = await this.#run(kernel, pipeline, tensors, pass, put)
        kernelTime = kernelTime === undefined || time === undefined ? undefined : kernelTime + time
      }
    } catch (error) {
      throw signal?.aborted ? signal.reason : await this.#troubleOf(error)
    }
    const [b, t] = sizes
    const merged = headsFirst ? [...sizes] : [b, t, shape.queryHeads * width]
    return { values, shape: merged, times: { kernel: kernelTime, total: performance.now() - start } }
  }

  /** Whatever happens on a lost device is its loss. */
  async #troubleOf(error: unknown): Promise<GpuTrouble> {
    // A call may fail a moment before the loss itself is told.
    await Promise.race([this.device.lost, new Promise((resolve) => setTimeout(resolve, 10))])
    if (this.lost) return new GpuTrouble('lost', this.lost.message || this.lost.reason)
    return error instanceof GpuTrouble ? error : new GpuTrouble('failed', detailOf(error))
  }

  /** Hands the pass's values to `put` while they are there to be copied; resolves to the kernel's milliseconds. */
  async #run(
    kernel: Kernel,
    pipeline: GPUComputePipeline,
    tensors: Tensors,
    pass: GpuPass,
    put: (values: Float32Array) => void,
  ): Promise<number | undefined> {
    const taken: GPUBuffer[] = []
    const take = (kind: Usage, bytes: number) => {
      const buffer = this.#buffers.take(kind, bytes)
      taken.push(buffer)
      return buffer
    }
    try {
      const time = await this.#dispatch(kernel, pipeline, tensors, pass, { take, put })
      this.#buffers.give(taken)
      return time
    } catch (error) {
      for (const buffer of taken) buffer.destroy()
      throw error
    }
  }

  async #dispatch(
    kernel: Kernel,
    pipeline: GPUComputePipeline,
    { q, k, v, bias }: Tensors,
    pass: GpuPass,
    { take, put }: { take: (kind: Usage, bytes: number) => GPUBuffer; put: (values: Float32Array) => void },
  ): Promise<number | undefined> {
    const { device } = this
    device.pushErrorScope('validation')
    device.pushErrorScope('out-of-memory')
    const bind = (binding: number, buffer: GPUBuffer, size: number) => ({ binding, resource: { buffer, size } })
    const upload = (binding: number, kind: 'input' | 'uniform', data: ArrayBufferView | undefined) => {
      const size = wholeVectors(data?.byteLength ?? 0)
      const buffer = take(kind, size)
      if (data) device.queue.writeBuffer(buffer, 0, data.buffer as ArrayBuffer, data.byteOffset, data.byteLength)
      return bind(binding, buffer, size)
    }
    const bytes = pass.outputValues * 4
    const output = take('output', wholeVectors(bytes))
    const entries = [
      ...[upload(0, 'uniform', pass.uniforms), upload(1, 'input', pass.words), upload(2, 'input', bias)],
      ...[upload(3, 'input', q), upload(4, 'input', k)],
      ...(kernel === 'output' ? [upload(5, 'input', v)] : []),
      bind(kernel === 'output' ? 6 : 7, output, wholeVectors(bytes)),
    ]

    const stampsAt = Math.ceil(bytes / 8) * 8
    const readback = take('readback', stampsAt + stampBytes)
    const querySet = this.#timestamps
    const encoder = device.createCommandEncoder()
    const compute = encoder.beginComputePass(
      querySet && { timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } },
    )
    compute.setPipeline(pipeline)
    compute.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }))
    compute.dispatchWorkgroups(...pass.workgroups)
    compute.end()
    encoder.copyBufferToBuffer(output, 0, readback, 0, bytes)
    if (querySet) {
      const resolved = take('timestamps', stampBytes)
      encoder.resolveQuerySet(querySet, 0, 2, resolved, 0)
      encoder.copyBufferToBuffer(resolved, 0, readback, stampsAt, stampBytes)
    }
    device.queue.submit([encoder.finish()])

    const mapping = readback.mapAsync(mapRead, 0, stampsAt + stampBytes)
    mapping.catch(() => {}) // awaited below, after what says more
    for (const complaint of await Promise.all([device.popErrorScope(), device.popErrorScope()])) {
      if (complaint) throw new Error(complaint.message)
    }
    await mapping
    const mapped = readback.getMappedRange(0, stampsAt + stampBytes)
    put(new Float32Array(mapped, 0, pass.outputValues))
    const [from = 0n, to = 0n] = new BigUint64Array(mapped, stampsAt, 2)
    readback.unmap()
    return querySet && Number(to - from) / 1e6
  }
}

/** A binding holds whole vectors of 16 bytes, one at least. */
const wholeVectors = (bytes: number) => Math.max(16, Math.ceil(bytes / 16) * 16)

/** As `work`, or the signal's reason as soon as it is aborted. */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
