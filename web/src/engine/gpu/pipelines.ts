// The kernels, compiled once for each set of sizes.

import type { GpuPlan } from '../core.ts'
import { shaders } from '../generated/shaders.mjs'
import { detailOf, GpuTrouble } from './trouble.ts'

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

  /** The pipeline of a plan. Rejects with the compiler's first complaint. */
  get(kernel: Kernel, { aligned, rows, columns }: GpuPlan): Promise<GPUComputePipeline> {
    const key = `${kernel} ${aligned} ${rows} ${columns}`
    const known = this.#pipelines.get(key)
    if (known) return known
    const constants = kernel === 'output' ? { ROWS: rows, COLUMNS: columns } : { ROWS: rows }
    const made = this.#compile(kernel, aligned, constants)
    this.#pipelines.set(key, made)
    return made
  }

  async #compile(kernel: Kernel, aligned: boolean, constants: Record<string, number>): Promise<GPUComputePipeline> {
    const device = this.#device
    const subgroups = device.features.has('subgroups')
    const { uniforms, common } = this.#shaders
    const code = [
      subgroups ? 'enable subgroups;' : '',
      ...[uniforms, common, this.#shaders[aligned ? 'tensors-vector' : 'tensors-scalar']],
      ...[this.#shaders[subgroups ? 'lanes-subgroup' : 'lanes-workgroup'], this.#shaders[kernel]],
    ].join('\n')
    device.pushErrorScope('validation')
    try {
      const module = device.createShaderModule({ code, label: kernel })
      const { messages } = await module.getCompilationInfo()
      const complaint = messages.find(({ type }) => type === 'error')
      if (complaint) throw new Error(`${kernel}, line ${complaint.lineNum}, ${complaint.message}`)
      return await device.createComputePipelineAsync({ layout: 'auto', compute: { module, constants }, label: kernel })
    } catch (error) {
      throw new GpuTrouble('shader', detailOf(error))
    } finally {
      device.popErrorScope().catch(() => {}) // what it says was said above
    }
  }
}
