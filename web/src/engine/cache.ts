import type { Output, Reusing } from './attention.ts'
import { over } from './copy-out.ts'
import { type Core, isFailure } from './core.ts'
import { type FieldKinds, fail, marshal, succeeded } from './marshal.ts'

type Made = NonNullable<ReturnType<Core['makeCache']>>

export type CacheShape = Parameters<Core['makeCache']>[0]
export type NewTokens = Parameters<Made['append']>[0]
export type DecodingStep = Parameters<Made['attend']>[0]

/**
 * The keys and values of one sequence's earlier tokens, kept in WebAssembly memory:
 * a decoding step copies in its own query and nothing else.
 */
export class KvCache {
  readonly #core: Core
  readonly #kinds: FieldKinds
  #cache: Made | undefined
  #tokens = 0

  /** Made by Attention.cache(). */
  constructor(core: Core, kinds: FieldKinds, shape: CacheShape) {
    this.#core = core
    this.#kinds = kinds
    const plain = marshal(core, kinds, 'cache', shape)
    const checked = core.checkCache(plain)
    if (isFailure(checked)) fail(checked)
    this.#cache = core.makeCache(plain) ?? undefined
  }

  /** How many tokens are cached. */
  get tokens(): number {
    return this.#tokens
  }

  /** Appends tokens: k [tokens, Hkv * D], v [tokens, Hkv * Dv]. */
  append(tokens: NewTokens): void {
    const made = this.#made()
    this.#tokens = succeeded(made.append(marshal(this.#core, this.#kinds, 'append', tokens))).tokens
  }

  /**
   * Attends from the last `queries` tokens, 1 if absent, over all that is cached,
   * causally: q [queries, Hq * D], output [queries, Hq * Dv].
   */
  attend(step: DecodingStep, { reuse }: Reusing<Output> = {}): Output {
    const made = this.#made()
    return succeeded(made.attend(marshal(this.#core, this.#kinds, 'decode', step), over(reuse)))
  }

  /** Frees the memory. Later calls throw. */
  dispose(): void {
    this.#cache?.delete()
    this.#cache = undefined
  }

  #made(): Made {
    if (!this.#cache) fail(this.#core.unavailable('a KV cache that was disposed of', 'make another one'))
    return this.#cache
  }
}
