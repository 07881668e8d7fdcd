// Whether the GPU computes: opens it when it is first wanted, measures it, falls back
// to WASM with the reason, and comes back after a loss.

import type { Problem } from '../attention.ts'
import { copies } from '../copy-out.ts'
import { type Core, type GpuPlanner, isFailure, loadGpuPlanner } from '../core.ts'
import { AttentionError } from '../error.ts'
import { fail } from '../marshal.ts'
import { GpuDriver, type GpuSolution, type Solving } from './driver.ts'
import { measureSpeeds, type Speeds } from './measure.ts'
import type { Kernel } from './pipelines.ts'
import { detailOf, GpuTrouble, type Reason } from './trouble.ts'

/** The least work, in operations of the full square, for which 'auto' looks at the GPU: 30 ms of WASM. */
const worthLooking = 1e9

export interface GpuState {
  readonly backend: 'wasm' | 'webgpu'
  readonly adapter: string | undefined
  /** Why it is that backend, in a sentence. */
  readonly why: string
}

export class GpuPath {
  readonly #core: Core
  readonly #gpu: GPU | undefined
  readonly #always: boolean
  readonly #threads: number
  #driver: Promise<GpuDriver> | undefined
  #planner: Promise<GpuPlanner> | undefined
  #speeds: Promise<Speeds> | undefined
  #state: GpuState

  /** `always`: for problems of any size. `threads`: how many share a large problem in WASM. */
  constructor(core: Core, { gpu, always, threads }: { gpu: GPU | undefined; always: boolean; threads: number }) {
    this.#core = core
    this.#gpu = gpu ?? globalThis.navigator?.gpu
    this.#always = always
    this.#threads = threads
    this.#state = this.#wasm(this.#gpu ? 'waiting' : missing())
  }

  get state(): GpuState {
    return this.#state
  }

  /** Opens the GPU now rather than with the first problem. */
  async open(): Promise<void> {
    await this.#ready().catch((error) => this.#remember(error))
  }

  /**
   * Solves a marshalled problem; a sentence where WASM is to do it instead. Throws an
   * AttentionError for a problem that is wrong, and the signal's reason on an abort.
   */
  async solve(kernel: Kernel, problem: Problem, solving: Solving = {}): Promise<GpuSolution | string> {
    if (!this.#gpu) return this.#state.why
    try {
      const work = this.#always ? 0 : this.#workOf(problem)
      if (!this.#always && work < worthLooking) return this.#sentence('tooSmall')
      const { driver, planner } = await this.#ready()
      if (!this.#always) {
        this.#speeds ??= this.#measure(driver, planner)
        const { worthwhile } = await this.#speeds
        if (work < worthwhile) return worthwhile < Infinity ? this.#sentence('tooSmall') : this.#state.why
      }
      return await this.#run(driver, planner, kernel, problem, solving)
    } catch (error) {
      // A wrong problem and an abort are the caller's; all else is the GPU's.
      if (error instanceof AttentionError || solving.signal?.aborted) throw error
      return this.#remember(error)
    }
  }

  /** Lets the device go. */
  dispose(): void {
    this.#driver?.then((driver) => driver.destroy()).catch(() => {})
    this.#driver = undefined
  }

  async #run(driver: GpuDriver, planner: GpuPlanner, kernel: Kernel, problem: Problem, solving?: Solving) {
    const plan = planner.plan(problem, driver.device.limits, kernel === 'weights')
    if (!isFailure(plan)) return driver.solve(kernel, problem, plan, solving)
    // Whatever else is wrong with a problem, WASM would say too.
    if (plan.error.code !== 'too-large') fail(plan)
    return plan.error.message
  }

  /** The driver, a new one after a loss, and the planner. */
  async #ready(): Promise<{ driver: GpuDriver; planner: GpuPlanner }> {
    const gpu = this.#gpu
    if (!gpu) throw new GpuTrouble(missing())
    const known = this.#driver
    const isLost = (await known?.catch(() => undefined))?.lost !== undefined
    // Another call may have opened a new one meanwhile.
    if (isLost && this.#driver === known) this.#driver = undefined
    this.#driver ??= this.#opened(gpu)
    this.#planner ??= this.#loaded()
    const planning = this.#planner
    const driver = await this.#driver
    const planner = await planning
    const { adapter, lacking } = driver
    if (this.#always) this.#state = { backend: 'webgpu', adapter, why: this.#sentence('chosen', lacking) }
    return { driver, planner }
  }

  /** A driver; the next call tries again if there is none. */
  #opened(gpu: GPU): Promise<GpuDriver> {
    const opening = GpuDriver.open(gpu)
    opening.catch(() => {
      if (this.#driver === opening) this.#driver = undefined
    })
    return opening
  }

  #loaded(): Promise<GpuPlanner> {
    const loading = loadGpuPlanner()
    loading.catch(() => {
      if (this.#planner === loading) this.#planner = undefined
    })
    return loading
  }

  #workOf(problem: Problem): number {
    const plan = this.#core.plan(problem, 1)
    if (isFailure(plan)) fail(plan)
    return plan.flops
  }

  async #measure(driver: GpuDriver, planner: GpuPlanner): Promise<Speeds> {
    try {
      const speeds = await measureSpeeds(
        (problem) => this.#run(driver, planner, 'output', problem),
        (problem) => this.#core.attend(problem, copies),
        Math.max(1, this.#threads),
      )
      const { gpu, wasm, overhead, worthwhile } = speeds
      const figures = `${gpu.toPrecision(3)} GFLOP/s and ${overhead.toPrecision(2)} ms a call against ${wasm.toPrecision(3)} GFLOP/s`
      const faster = worthwhile < Infinity
      const why = this.#sentence(faster ? 'faster' : 'slower', [figures, driver.lacking].filter(Boolean).join(', '))
      this.#state = { backend: faster ? 'webgpu' : 'wasm', adapter: driver.adapter, why }
      return speeds
    } catch (error) {
      this.#speeds = undefined
      throw error
    }
  }

  /** Falls back, and says why. */
  #remember(error: unknown): string {
    const { reason, message } = error instanceof GpuTrouble ? error : new GpuTrouble('failed', detailOf(error))
    this.#state = { ...this.#wasm(reason, message), adapter: this.#state.adapter }
    // What can be used again may be another device.
    this.#speeds = undefined
    return this.#state.why
  }

  #wasm(reason: Reason, detail?: string): GpuState {
    return { backend: 'wasm', adapter: undefined, why: this.#sentence(reason, detail) }
  }

  #sentence(reason: Reason, detail = ''): string {
    const { GpuReason } = this.#core
    return this.#core.gpuReason(GpuReason[reason], detail).error.message
  }
}

/** Why there is no WebGPU: browsers hide it from a page that came over plain http. */
const missing = (): Reason => (globalThis.isSecureContext === false ? 'insecure' : 'noApi')
