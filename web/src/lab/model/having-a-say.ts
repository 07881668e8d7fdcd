// Which fields have a say only with some options of another one, a choice: without them
// they have no control, and wait. What waits for a rule that is off is none of these: its
// switch stands right above it.

import type { Name, State } from './state.ts'

/** A field that decides on others, and the options with which they have a say. */
type Bound = { readonly [N in 'positions' | 'scale' | 'preset']: { on: N; options: readonly State[N][] } }[
  | 'positions'
  | 'scale'
  | 'preset']

const training: Bound = { on: 'positions', options: ['training', 'own'] }
const paired: Bound = { on: 'positions', options: ['ragged', 'padding'] }
const prefill: Bound = { on: 'positions', options: ['prefill'] }
const own: Bound = { on: 'positions', options: ['own'] }
const example: Bound = { on: 'preset', options: ['example'] }

const bounds: Partial<Record<Name, Bound>> = {
  queries: training,
  step: { on: 'positions', options: ['decoding'] },
  chunkStart: prefill,
  chunkSize: prefill,
  shorter: paired,
  sequence: paired,
  queryPositions: own,
  keyPositions: own,
  ownScale: { on: 'scale', options: ['own'] },
  ...{ x: example, wq: example, wk: example, wv: example, wo: example, seed: example },
}

/** Whether a field has a say. */
export function hasSay(name: Name, state: State): boolean {
  const bound = bounds[name]
  return !bound || (bound.options as readonly string[]).includes(state[bound.on])
}

/** Those of the fields that have a say. */
export const saying = <N extends Name>(names: readonly N[], state: State): N[] =>
  names.filter((name) => hasSay(name, state))
