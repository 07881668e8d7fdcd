// What a person does to the widget, as changes of its state.

import { split } from '../tokens.ts'
import { headsOf, queryHeadOf, type StageCell } from './chain.ts'
import { at } from './field.ts'
import type { Scene } from './scene.ts'
import { agree, type EditsName, most, type Name, type State } from './state.ts'

type Changes = Partial<State>

/** A field is given a value; a sentence has as many tokens as it has words. */
export function given(name: Name, value: unknown): Changes {
  const changes = { [name]: value } as Changes
  return name === 'text' ? { ...changes, keys: Math.min(split(String(value)).length, most.tokens) } : changes
}

/** A cell is picked: it is kept, or let go if it was the kept one. */
export function picked({ stage, head, row, column }: StageCell, scene: Scene, state: State): Changes {
  const found = scene.stages.get(stage)
  const changes = {
    stage,
    cell: [row, column],
    head: found && headsOf(found) !== 'none' ? queryHeadOf(found, head, scene) : state.head,
  }
  const again =
    state.locked && (['stage', 'cell', 'head'] as const).every((name) => agree(name, state, { ...state, ...changes }))
  return { ...changes, locked: !again }
}

/** A number is put in a cell of what can be edited. */
export function edited({ stage, row, column }: StageCell, value: number, scene: Scene, state: State): Changes {
  const { tokens, queries, keys } = scene.settings
  const tokensShown = { x: queries, context: keys }[stage as 'x' | 'context']
  // Vectors are edited by token, whichever of them are queries or keys.
  const first = tokensShown === undefined ? 0 : tokens.length - tokensShown
  const name = `${stage === 'context' ? 'x' : stage}Edits` as EditsName
  return { [name]: new Map([...state[name], [at(row + first, column), value]]) }
}

/** A cell of the mask is painted over, or shown again. */
export function painted({ row, column }: StageCell, hide: boolean, { paintedCells }: State): Changes {
  const cells = new Set(paintedCells)
  if (hide) cells.add(at(row, column))
  else cells.delete(at(row, column))
  return { paintedCells: cells }
}
