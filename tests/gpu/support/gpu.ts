// WebGPU in Node, by Dawn, and what stands in for other adapters and devices.

import { type Attention, loadAttention } from 'attention-playground'

/** WebGPU's entry. Dawn ends the process if it is collected. */
export const gpu = await (async (): Promise<GPU> => {
  const { create } = (await import(process.env.WEBGPU_MODULE ?? 'webgpu')) as { create: (flags: string[]) => GPU }
  return create([])
})()

export const loadOnGpu = (options: Parameters<typeof loadAttention>[0] = {}): Promise<Attention> =>
  loadAttention({ backend: 'webgpu', gpu, workers: 0, ...options })

/** As `gpu`, with its adapters changed on their way; null for none. */
export const withAdapter = (change: (adapter: GPUAdapter) => Partial<GPUAdapter> | null): GPU =>
  ({
    requestAdapter: async (options?: GPURequestAdapterOptions) => {
      const adapter = (await gpu.requestAdapter(options)) as GPUAdapter
      const changes = change(adapter)
      return (
        changes &&
        new Proxy(adapter, {
          get: (target, name) => {
            const value = name in changes ? changes[name as never] : target[name as never]
            return typeof value === 'function' ? (value as () => unknown).bind(target) : value
          },
        })
      )
    },
  }) as unknown as GPU

/** As `gpu`; each device is handed to `change` on its way. */
export const withDevice = (change: (device: GPUDevice) => void): GPU =>
  withAdapter((adapter) => ({
    requestDevice: async (descriptor) => {
      const device = await adapter.requestDevice(descriptor)
      change(device)
      return device
    },
  }))

/** As `gpu`, with adapters that have no feature. */
export const gpuWithoutFeatures = withAdapter(() => ({ features: new Set() as never }))
