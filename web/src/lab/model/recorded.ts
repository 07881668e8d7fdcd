// What an engine answered, written down, and an engine that gives these answers and
// no others. The build asks the core about the state that the widget begins with, so
// that its numbers are there before the WebAssembly is.

import type { Attention } from '../../engine/index.ts'
import { shortest } from '../export/numbers.ts'

/** What was asked, as `asked()` writes it, and what was answered. */
export type Answers = Readonly<Record<string, unknown>>

/**
 * Thrown for a question that nobody wrote an answer to: it has to wait for the engine. It
 * is no Error, for whose stack V8 reads the whole script once more, when a page has just
 * begun to show itself: 86 ms.
 */
export class NotRecorded {
  readonly method: string
  constructor(method: string) {
    this.method = method
  }
}

/** A question as text; two are the same if their texts are. */
function asked(method: string, given: readonly unknown[]): string {
  const plain = (_key: string, value: unknown) => {
    if (value instanceof Float32Array) return Array.from(value, shortest)
    if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, String)
    return typeof value === 'number' ? String(value) : value
  }
  return method + JSON.stringify(given, plain)
}

/** An engine that answers as `engine` does, and adds to `answers` what it answered. */
export function recording<Engine extends object>(engine: Engine, answers: Record<string, unknown>): Engine {
  return new Proxy(engine, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target)
      const key = String(name)
      if (typeof found !== 'function') {
        answers[key] = found
        return found
      }
      return (...given: unknown[]) => {
        const answer: unknown = Reflect.apply(found, target, given)
        answers[asked(key, given)] = answer
        return answer
      }
    },
  })
}

/** An engine made of answers. */
export function replaying(answers: Answers): Attention {
  const get = (_target: object, name: string | symbol) => {
    const key = String(name)
    if (Object.hasOwn(answers, key)) return answers[key]
    return (...given: unknown[]) => {
      const question = asked(key, given)
      if (Object.hasOwn(answers, question)) return answers[question]
      throw new NotRecorded(key)
    }
  }
  return new Proxy({}, { get }) as Attention
}
