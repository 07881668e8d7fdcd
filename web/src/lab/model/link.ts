// The state as the query of an address: only what differs from where a lesson
// starts, so that an address is short and a changed default reaches old ones.

import { split } from '../tokens.ts'
import { fieldWords as words } from '../words.ts'
import type { Field } from './field.ts'
import { agree, attributeOf, fields, most, type Name, names, type State, start, written } from './state.ts'

const byKey = new Map<string, Name>(names.map((name) => [fields[name].key, name]))

/** As many tokens as a sentence has words. */
export const countOfWords = (text: string): number => Math.min(split(text).length, most.tokens)

/** A state with another sentence, which has as many tokens as words unless somebody says otherwise. */
export const withText = (state: State, text: string): State =>
  text === state.text ? state : { ...state, text, keys: countOfWords(text) }

/** The names of the fields in which a state is another than where it starts, its sentence apart. */
function differing(state: State, from: State): Name[] {
  const followed = withText(from, state.text)
  return names.filter((name) => !agree(name, state, name === 'text' ? from : followed))
}

/** The query without its question mark; empty for the lesson's own start. */
export function linkOf(state: State, lesson: State): string {
  const query = new URLSearchParams()
  for (const name of differing(state, lesson)) {
    // An absent count follows another field; a lesson may have fixed it.
    query.set(fields[name].key, state[name] === undefined ? '' : written(name, state))
  }
  return query.toString()
}

/** The tag of a widget that starts in this state, on one line. */
export function tagOf(state: State): string {
  const quoted = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const attributes = differing(state, start).map((name) => ` ${attributeOf(name)}="${quoted(written(name, state))}"`)
  return `<attention-playground${attributes.join('')}></attention-playground>`
}

export interface Read {
  readonly state: State
  /** A sentence for each part that could not be read; the rest counts. */
  readonly complaints: readonly string[]
}

/** The state that a query describes, from where the lesson starts. */
export function readLink(query: string, lesson: State): Read {
  const changes: Partial<Record<Name, unknown>> = {}
  const given = new URLSearchParams(query)
  const complaints = [...byKey.keys()].filter((key) => given.getAll(key).length > 1).map(words.twice)
  complaints.push(
    ...query
      .split('&')
      .filter(isBroken)
      .map((part) => words.encoding(shortened(part))),
  )
  for (const [key, text] of new Map(given)) {
    const name = byKey.get(key)
    if (name === undefined) {
      complaints.push(words.unknown(shortened(key)))
      continue
    }
    const read = fromText(name, text)
    if (read.refusal === undefined) changes[name] = read.value
    else complaints.push(read.refusal)
  }
  const { text = lesson.text } = changes as Partial<State>
  return { state: { ...withText(lesson, text), ...changes } as State, complaints }
}

/** Whether a part of a query is cut within a letter, or was never encoded. */
function isBroken(part: string): boolean {
  try {
    decodeURIComponent(part)
    return false
  } catch {
    return true
  }
}

/** What a field is called where somebody wrote it down. */
export type Calling = (name: Name) => string
export const keyOf: Calling = (name) => fields[name].key

/** A field's value from a text, or the sentence that refuses it and says what comes of that. */
export function fromText(
  name: Name,
  text: string,
  called: Calling = keyOf,
  outcome: string = words.leftOut,
): { value?: unknown; refusal?: string } {
  const field: Field = fields[name]
  if (text === '' && field.kind === 'count' && field.start === undefined) return { value: undefined }
  const value = field.read(text)
  return value === undefined
    ? { refusal: words.refused(called(name), field.expects, shortened(text), outcome) }
    : { value }
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)
