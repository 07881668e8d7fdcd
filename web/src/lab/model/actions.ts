// What a person does to the widget, as changes of its state.

import { tokensOf } from '../tokens.ts'
import { headsOf, queryHeadOf, type StageCell } from './chain.ts'
import { at, cellOf } from './field.ts'
import { countOfWords } from './link.ts'
import type { Scene } from './scene.ts'
import { firstQuery } from './settings.ts'
import { agree, type EditsName, type Name, type State } from './state.ts'

type Changes = Partial<State>

const none: State['wqEdits'] = new Map()

/**
 * A field is given a value, and what belongs to it follows: a sentence has as many
 * tokens as it has words, of which new ones have no edited vectors, a matrix that is
 * filled anew has no edits left, and own positions begin with those that there are.
 */
export function given(name: Name, value: unknown, state: State, scene?: Scene): Changes {
  const changes = { [name]: value } as Changes
  switch (name) {
    case 'text': {
      const keys = countOfWords(String(value))
      return { ...changes, keys, xEdits: editsOf(String(value), keys, state) }
    }
    case 'positions': {
      const place = scene?.places[0]
      if (value !== 'own' || !place) return changes
      const { queryPositions, keyPositions } = place
      return { ...changes, queryPositions: [...queryPositions], keyPositions: [...keyPositions] }
    }
    default:
      return { ...changes, ...Object.fromEntries(refilledBy(name).map((matrix) => [`${matrix}Edits`, none])) }
  }
}

const matrices = ['x', 'wq', 'wk', 'wv', 'wo'] as const

/** The matrices that a field fills anew, whatever value it is given. */
const refilledBy = (name: Name) => matrices.filter((matrix) => name === 'preset' || name === matrix)

/** How many edited cells of which matrices are lost where a field is given a value. */
export const editsLostBy = (name: Name, state: State) =>
  refilledBy(name)
    .map((matrix) => ({ matrix, count: state[`${matrix}Edits`].size }))
    .filter(({ count }) => count > 0)

/** The edits of vectors whose tokens are still in their places; where there are more of them than words, the story's count. */
function editsOf(text: string, words: number, state: State): State['xEdits'] {
  if (state.xEdits.size === 0) return state.xEdits
  const count = Math.max(words, state.queries ?? 0)
  const [before, after] = [tokensOf(state.text, count), tokensOf(text, count)]
  return new Map(
    [...state.xEdits].filter(([cell]) => {
      const [row] = cellOf(cell)
      return row < count && after[row] === before[row]
    }),
  )
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
export function painted({ row, column }: StageCell, hide: boolean, { settings }: Scene, state: State): Changes {
  const cells = new Set(state.paintedCells)
  const cell = at(row + firstQuery(settings), column)
  if (hide) cells.add(cell)
  else cells.delete(cell)
  return { paintedCells: cells }
}
