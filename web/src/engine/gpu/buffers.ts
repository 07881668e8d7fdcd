// GPU buffers, kept and used again: making one costs more than filling it.

// The flags of the specification; Node has no GPUBufferUsage.
export const usage = {
  readback: 0x1 | 0x8, // MAP_READ, COPY_DST
  uniform: 0x40 | 0x8, // UNIFORM, COPY_DST
  input: 0x80 | 0x8, // STORAGE, COPY_DST
  output: 0x80 | 0x4, // STORAGE, COPY_SRC
  timestamps: 0x200 | 0x4, // QUERY_RESOLVE, COPY_SRC
} as const

export type Usage = keyof typeof usage

/** Bytes of buffers that may lie idle. */
const mostIdle = 2 ** 28

export class BufferPool {
  readonly #device: GPUDevice
  readonly #idle: GPUBuffer[] = []

  constructor(device: GPUDevice) {
    this.#device = device
  }

  /** A buffer of at least `bytes`, with whatever it held last. */
  take(kind: Usage, bytes: number): GPUBuffer {
    const size = this.#roomFor(bytes)
    const found = this.#idle.findIndex((buffer) => buffer.usage === usage[kind] && buffer.size === size)
    if (found >= 0) return this.#idle.splice(found, 1)[0] as GPUBuffer
    return this.#device.createBuffer({ size, usage: usage[kind] })
  }

  /** Takes buffers back; the oldest idle ones go where too much lies idle. */
  give(buffers: readonly GPUBuffer[]): void {
    this.#idle.push(...buffers)
    let held = this.#idle.reduce((sum, { size }) => sum + size, 0)
    while (held > mostIdle) {
      const oldest = this.#idle.shift() as GPUBuffer
      held -= oldest.size
      oldest.destroy()
    }
  }

  /** Sizes in steps of an eighth, so that problems of about one size share buffers. */
  #roomFor(bytes: number): number {
    const step = Math.max(256, 2 ** (Math.floor(Math.log2(Math.max(bytes, 1))) - 3))
    const room = Math.ceil(Math.max(bytes, 1) / step) * step
    const { maxBufferSize, maxStorageBufferBindingSize } = this.#device.limits
    return Math.max(bytes, Math.min(room, maxBufferSize, maxStorageBufferBindingSize))
  }
}
