import type { Core } from '../core.ts'

/** A reason of the core's that has to do with the GPU. */
export type Reason = Exclude<keyof Core['GpuReason'], 'values'>

/** The GPU can't be used, or could not do something. The core makes the sentence. */
export class GpuTrouble extends Error {
  readonly reason: Reason

  constructor(reason: Reason, detail = '') {
    super(detail)
    this.reason = reason
  }
}

export const detailOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
