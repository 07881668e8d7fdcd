/**
 * What a caller did wrong, in one sentence. The sentences come from the C++ core;
 * after an error nothing was computed and the next call works.
 */
export class AttentionError extends Error {
  override readonly name = 'AttentionError'
  /** The kind of fault, e.g. 'wrong-shape'. */
  readonly code: string
  /** The input at fault, e.g. 'kvHeads'; empty where no single one is. */
  readonly field: string

  constructor(fault: { code: string; field: string; message: string }) {
    super(fault.message)
    this.code = fault.code
    this.field = fault.field
  }
}
