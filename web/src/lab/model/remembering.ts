// What an engine says of masks and of tensors to start from depends on a few counts, and
// most changes leave these as they are: its latest small answers are kept.

import type { Attention } from '../../engine/index.ts'

/** The part of an engine that inputs come from. */
export type Inputs = Pick<Attention, 'mask' | 'preset'>

/** As many as a layer under every rule, with two sequences, asks for. */
const most = 16
/** In values of an answer. Of larger layers the trace takes so long that this is nothing to it. */
const small = 2 ** 16

const known = new WeakMap<Inputs, Inputs>()

/** The engine, with its latest answers remembered. Whoever gets one must leave it as it is. */
export function remembering(engine: Inputs): Inputs {
  const found = known.get(engine)
  if (found) return found
  const made = {
    mask: remembered((given: Parameters<Inputs['mask']>[0]) => engine.mask(given)),
    preset: remembered((given: Parameters<Inputs['preset']>[0]) => engine.preset(given)),
  }
  known.set(engine, made)
  return made
}

function remembered<Given, Answer extends object>(ask: (given: Given) => Answer): (given: Given) => Answer {
  const answers = new Map<string, Answer>()
  return (given) => {
    const question = JSON.stringify(given)
    const answer = answers.get(question) ?? ask(given)
    // The latest one stands last.
    answers.delete(question)
    const values = Object.values(answer).reduce((sum: number, value) => sum + (value.length ?? 0), 0)
    if (values <= small) answers.set(question, answer)
    const [oldest] = answers.keys()
    if (answers.size > most && oldest !== undefined) answers.delete(oldest)
    return answer
  }
}
