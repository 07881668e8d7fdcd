import type { Output, Reusing } from './attention.ts'
import { type Call, type CopyOut, over } from './copy-out.ts'
import { type Core, isFailure, type Success } from './core.ts'
import { type FieldKinds, fail, type InputName, marshal } from './marshal.ts'

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
    this.#tokens = this.#call('append', 'append', tokens).tokens
  }

  /**
   * Attends from the last `queries` tokens, 1 if absent, over all that is cached,
   * causally: q [queries, Hq * D], output [queries, Hq * Dv].
   */
  attend(step: DecodingStep, { reuse }: Reusing<Output> = {}): Output {
    return this.#call('attend', 'decode', step, over(reuse))
  }

  /** Frees the memory. Later calls throw. */
  dispose(): void {
    this.#cache?.delete()
    this.#cache = undefined
  }

  #call<Name extends 'append' | 'attend'>(
    name: Name,
    input: InputName,
    given: Parameters<Made[Name]>[0],
    copyOut?: CopyOut,
  ): Success<ReturnType<Made[Name]>> {
    if (!this.#cache) fail(this.#core.unavailable('a KV cache that was disposed of', 'make another one'))
    const plain = marshal(this.#core, this.#kinds, input, given)
    const call = this.#cache[name] as Call<typeof plain, ReturnType<Made[Name]>>
    const result = call.call(this.#cache, plain, ...(copyOut ? [copyOut] : []))
    if (isFailure(result)) fail(result)
    return result as Success<ReturnType<Made[Name]>>
  }
}
