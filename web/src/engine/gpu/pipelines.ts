// The kernels, compiled once for each set of sizes.

import type { GpuPlan } from '../core.ts'
import { shaders } from '../generated/shaders.mjs'
import { detailOf, GpuTrouble } from './trouble.ts'
import { unroll } from './unroll.ts'

export type Kernel = 'output' | 'weights'

export class Pipelines {
  readonly #device: GPUDevice
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>()
  readonly #shaders: typeof shaders

  /** `sources` are the kernels' texts; a test gives broken ones. */
  constructor(device: GPUDevice, sources = shaders) {
    this.#device = device
    this.#shaders = sources
  }

  /** The pipeline of a plan; `halves`: keys and values are float16. Rejects with the compiler's first complaint. */
  get(kernel: Kernel, plan: GpuPlan, halves: boolean): Promise<GPUComputePipeline> {
    const { aligned, capped, rows, chunks } = plan
    const key = `${kernel} ${aligned} ${capped} ${rows} ${chunks} ${halves}`
    const known = this.#pipelines.get(key)
    if (known) return known
    const made = this.#compile(kernel, this.#codeOf(kernel, plan, halves), { ROWS: rows, CAPPED: capped ? 1 : 0 })
    this.#pipelines.set(key, made)
    return made
  }

  #codeOf(kernel: Kernel, { aligned, capped, rows, chunks }: GpuPlan, halves: boolean): string {
    const { uniforms, common, ...rest } = this.#shaders
    const quads = hasQuads(this.#device)
    // WGSL promises 8 KiB for a thread's own variables; the sums take EACH * CHUNKS * 128 bytes
    // of them. What else has more code is slow enough to compile with 4 rows to a thread.
    const each = aligned && !capped && chunks <= 4 ? Math.min(8, rows / 4) : 4
    const parts = [
      // The lanes of a quad keep together by subgroupAny(), which the compiler does not see.
      ...(quads ? ['enable subgroups;', 'diagnostic(off, subgroup_uniformity);'] : []),
      ...(halves ? ['enable f16;'] : []),
      ...[`const EACH = ${quads ? each : 1}u;`, `const CHUNKS = ${chunks}u;`],
      `alias Stored = ${halves ? 'vec4<f16>' : 'vec4f'};`,
      ...[uniforms, common, rest[aligned ? 'tensors-vector' : 'tensors-scalar']],
      ...[rest[quads ? 'lanes-quad' : 'lanes-workgroup'], rest[kernel]],
    ]
    return unroll(parts.join('\n'))
  }

  async #compile(label: Kernel, code: string, constants: Record<string, number>): Promise<GPUComputePipeline> {
    const device = this.#device
    device.pushErrorScope('validation')
    try {
      const module = device.createShaderModule({ code, label })
      const { messages } = await module.getCompilationInfo()
      const complaint = messages.find(({ type }) => type === 'error')
      if (complaint) throw new Error(`${label}, line ${complaint.lineNum}, ${complaint.message}`)
      return await device.createComputePipelineAsync({ layout: 'auto', compute: { module, constants }, label })
    } catch (error) {
      throw new GpuTrouble('shader', detailOf(error))
    } finally {
      device.popErrorScope().catch(() => {}) // what it says was said above
    }
  }
}

/** Whether a subgroup is a quad: lanes-quad.wgsl says what is to be gained then. */
const hasQuads = ({ features, adapterInfo }: GPUDevice) =>
  features.has('subgroups') && adapterInfo?.subgroupMaxSize === 4
