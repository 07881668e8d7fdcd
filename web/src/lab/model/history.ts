// Undo and redo. Changes that follow each other within a moment and touch the same
// fields are one step: nobody wants to undo a slider notch by notch, or a sentence letter
// by letter. A stroke of the brush is one step, however long it takes. Which cell is
// looked at, and whether it is kept, is no step at all.

import { agree, type Name, names, type State } from './state.ts'

const momentMs = 700

interface Step {
  readonly state: State
  /** What the change to this state touched, and when. */
  readonly touched: string
  readonly when: number
}

export interface History {
  readonly past: readonly Step[]
  readonly now: Step
  readonly future: readonly Step[]
}

/** More steps than anyone goes back. */
const longest = 200

export const begin = (state: State): History => ({ past: [], now: { state, touched: '', when: 0 }, future: [] })

const looks: ReadonlySet<Name> = new Set(['cell', 'locked'])

const same = (a: State, b: State) => names.every((name) => agree(name, a, b))

/**
 * The history after a change; `when` in milliseconds on any clock that goes forward.
 * `joins` says whether it belongs to the step before; without it, the time decides.
 */
export function changed(history: History, state: State, when: number, joins?: boolean): History {
  const { past, now } = history
  const fields = names.filter((name) => !agree(name, now.state, state))
  if (fields.length === 0) return history
  if (fields.every((name) => looks.has(name))) return { ...history, now: { ...now, state } }
  // The tokens follow the sentence, at the beginning of each word.
  const touched = fields.includes('text') ? 'text' : fields.join(' ')
  const step = { state, touched, when }
  if (touched === now.touched && (joins ?? when - now.when < momentMs)) {
    const before = past.at(-1)
    // There and back is no step at all.
    if (before && same(before.state, state))
      return { past: past.slice(0, -1), now: { ...before, touched: '' }, future: [] }
    return { past, now: step, future: [] }
  }
  return { past: [...past, now].slice(-longest), now: step, future: [] }
}

export function undone({ past, now, future }: History): History {
  const before = past.at(-1)
  return before
    ? { past: past.slice(0, -1), now: { ...before, touched: '' }, future: [now, ...future] }
    : { past, now, future }
}

export function redone({ past, now, future }: History): History {
  const [next, ...rest] = future
  return next ? { past: [...past, now], now: { ...next, touched: '' }, future: rest } : { past, now, future }
}
