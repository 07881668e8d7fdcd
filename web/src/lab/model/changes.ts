// What differs between two states, in the words of the table.

import { typeset } from '../format.ts'
import { labWords as words } from '../words.ts'
import type { Field } from './field.ts'
import { hasSay } from './having-a-say.ts'
import { ruleControls } from './rules.ts'
import { countOf } from './settings.ts'
import { agree, type CountName, fields, looks, type Name, names, type State, start, written } from './state.ts'

/** The fields that differ, each with its label and its value in `now`. */
export const changesOf = (before: State, now: State): string[] =>
  names.filter((name) => !agree(name, before, now)).map((name) => labelled(name, now))

/**
 * The settings that make the numbers others than where the table starts, each with its label
 * and value. Without the sentence, whose words stand at the matrices.
 */
export function settingsSaid(state: State): string[] {
  const waiting = new Set<Name>(ruleControls.flatMap(({ flag, amounts }) => (state[flag] ? [] : amounts)))
  if (!state.painted) waiting.add('paintedCells')
  const counts = (name: Name) =>
    name !== 'text' && !looks.has(name) && !waiting.has(name) && hasSay(name, state) && !agree(name, start, state)
  return names.filter(counts).map((name) => labelled(name, state))
}

const labelled = (name: Name, state: State) => words.changedTo(fields[name].label, said(name, state))

function said(name: Name, state: State): string {
  const field: Field = fields[name]
  switch (field.kind) {
    case 'flag':
      return state[name] ? words.on : words.off
    case 'choice':
      return field.options[state[name] as string] ?? String(state[name])
    case 'count':
      return String(countOf(name as CountName, state))
    case 'number':
    case 'list':
      return typeset(written(name, state))
    case 'pairs':
    case 'edits':
      return words.cellCount((state[name] as { size: number }).size)
    default:
      return written(name, state)
  }
}
