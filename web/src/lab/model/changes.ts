// What differs between two states, in the words of the table.

import { typeset } from '../format.ts'
import { labWords as words } from '../words.ts'
import type { Field } from './field.ts'
import { countOf } from './settings.ts'
import { agree, type CountName, fields, type Name, names, type State, written } from './state.ts'

/** The fields that differ, each with its label and its value in `now`. */
export const changesOf = (before: State, now: State): string[] =>
  names.filter((name) => !agree(name, before, now)).map((name) => words.changedTo(fields[name].label, said(name, now)))

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
