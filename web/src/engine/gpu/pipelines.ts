// The kernels, compiled once for each set of sizes.

import type { GpuPlan } from '../core.ts'
import { shaders } from '../generated/shaders.mjs'
import { detailOf, GpuTrouble } from './trouble.ts'
import { unroll } from './unroll.ts'

export type Kernel = 'output' | 'weights'

export class Pipelines {
  readonly #device: GPUDevice
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>()

  constructor(device: GPUDevice) {
    this.#device = device
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
    const { uniforms, common, ...rest } = shaders
    const way = wayOf(this.#device)
    const votes = this.#device.features.has('subgroups')
    // WGSL promises 8 KiB for a thread's own variables; the sums take EACH * CHUNKS * 128 bytes
    // of them. What else has more code is slow enough to compile with 4 rows to a thread.
    const each = aligned && !capped && chunks <= 4 ? Math.min(8, rows / 4) : 4
    const parts = [
      ...(votes ? ['enable subgroups;'] : []),
      // Lanes that hand keys round keep together by subgroupAny(), which the compiler does not see.
      ...(way === 'workgroup' ? [] : ['diagnostic(off, subgroup_uniformity);']),
      ...(halves ? ['enable f16;'] : []),
      ...[`const EACH = ${way === 'quad' ? each : 1}u;`, `const CHUNKS = ${chunks}u;`],
      `alias Stored = ${halves ? 'vec4<f16>' : 'vec4f'};`,
      ...[uniforms, common, rest[aligned ? 'tensors-vector' : 'tensors-scalar']],
      ...(way === 'workgroup' ? [] : [`const LANES = ${lanesOf(this.#device, rows)}u;`, rest['lanes-registers']]),
      ...(way === 'quad' ? [] : [rest['lanes-straight']]),
      ...[rest[votes ? 'vote-subgroup' : 'vote-alone'], rest[`lanes-${way}`], rest[kernel]],
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
      // What follows the first line says where it was found, not what.
      throw new GpuTrouble('shader', detailOf(error).split('\n', 1)[0])
    } finally {
      device.popErrorScope().catch(() => {}) // what it says was said above
    }
  }
}

/** How threads get at keys and values; the file lanes-*.wgsl of the name says what it is good for. */
type Way = 'quad' | 'subgroup' | 'workgroup'

function wayOf({ features, adapterInfo }: GPUDevice): Way {
  if (!features.has('subgroups') || !adapterInfo?.subgroupMinSize) return 'workgroup'
  if (adapterInfo.subgroupMaxSize === 4) return 'quad'
  return ['nvidia', 'apple'].includes(adapterInfo.vendor) ? 'workgroup' : 'subgroup'
}

/** Of the lanes of a subgroup, those that load keys for all of it: no more than a tile has keys, or a workgroup threads. */
const lanesOf = ({ adapterInfo }: GPUDevice, rows: number) => Math.min(32, rows, adapterInfo.subgroupMinSize)
