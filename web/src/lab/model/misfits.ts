// What a state asks for that cannot be as things are, such as a cell outside of its
// matrix, and what stands in its place. What has no say may wait for it, as amounts of the
// mask for their rule, and for more tokens: a window that is too wide hides nothing.

import { split } from '../tokens.ts'
import { fieldWords as words } from '../words.ts'
import { cellOf } from './field.ts'
import { saying } from './having-a-say.ts'
import type { Calling } from './link.ts'
import { placesOf, positionFields } from './positions.ts'
import { countOf, firstQuery, permitted, type Settings, settingsOf } from './settings.ts'
import { shapeOf, stageIn } from './shapes.ts'
import type { StageName } from './stage.ts'
import { agree, type CountName, type EditsName, fields, most, type Name, type State, written } from './state.ts'

interface Misfit {
  readonly name: Name
  readonly instead: unknown
  readonly sentence: string
}

/** What does not fit of the fields in which the state differs from `base`: nobody asked for the others. */
function misfits(state: State, base: State, called: Calling): Misfit[] {
  const found: Misfit[] = []
  // Asked for at each change, and seldom needed.
  let known: Settings | undefined
  const settings = () => {
    known ??= settingsOf(state)
    return known
  }
  const isAsked = (name: Name) => !agree(name, state, base)
  const add = (name: Name, instead: unknown, sentence: string) => found.push({ name, instead, sentence })
  const beyond = (name: Name, instead: unknown, expects: string) => {
    const used = written(name, { ...state, [name]: instead })
    add(name, instead, words.beyond(called(name), expects, written(name, state), used))
  }

  const count = (name: CountName) => {
    const [value, used] = [state[name], countOf(name, state)]
    if (!isAsked(name) || value === undefined || value === used) return
    if (name === 'kvHeads') return add(name, used, words.notDivisor(called(name), value, state.queryHeads, used))
    const counts = permitted(name, state)
    beyond(name, used, words.count(counts[0] as number, counts.at(-1) as number))
  }
  const positions = (name: 'queryPositions' | 'keyPositions') => {
    const [given, used] = [state[name].length, placesOf(settings())[0]?.[name] ?? []]
    if (isAsked(name) && given > 0 && given !== used.length)
      add(name, used, words.positions(called(name), used.length, given))
  }
  for (const name of saying(['kvHeads', 'head', ...positionFields], state)) {
    if (name === 'queryPositions' || name === 'keyPositions') positions(name)
    else count(name)
  }

  const tokens = isAsked('text') ? split(state.text) : []
  if (tokens.length > most.tokens) {
    const kept = tokens.slice(0, most.tokens).join(' ')
    add('text', kept, words.tooManyTokens(called('text'), tokens.length, most.tokens))
  }

  const cells = (name: EditsName | 'paintedCells', sizes: () => readonly number[]) => {
    if (!isAsked(name) || state[name].size === 0) return
    const [rows = 0, columns = 0] = sizes()
    const isWithin = (cell: string) => {
      const [row, column] = cellOf(cell)
      return row < rows && column < columns
    }
    const outside = [...state[name].keys()].filter((cell) => !isWithin(cell))
    if (outside.length === 0) return
    const kept =
      name === 'paintedCells'
        ? new Set([...state[name]].filter(isWithin))
        : new Map([...state[name]].filter(([cell]) => isWithin(cell)))
    add(name, kept, words.outside(called(name), rows, columns, outside))
  }
  cells('xEdits', () => [settings().tokens.length, settings().features])
  for (const name of ['wq', 'wk', 'wv', 'wo'] as const) {
    cells(`${name}Edits`, () => shapeOf(name, settings())?.shape ?? [])
  }
  cells('paintedCells', () => [firstQuery(settings()) + settings().queries, settings().keys])

  if (!isAsked('stage') && !isAsked('cell')) return found
  const stage = stageIn(settings(), state.stage)
  if (isAsked('stage') && stage !== state.stage) {
    const options = Object.keys(fields.stage.options) as StageName[]
    beyond('stage', stage, words.choice(options.filter((name) => shapeOf(name, settings()))))
  }
  const [rows = 0, columns = 0] = shapeOf(stage, settings())?.shape.slice(-2) ?? []
  const [row = 0, column = 0] = state.cell
  if (isAsked('cell') && rows > 0 && columns > 0 && (row >= rows || column >= columns)) {
    const instead = [Math.min(row, rows - 1), Math.min(column, columns - 1)]
    beyond('cell', instead, words.cell(rows, columns))
  }
  return found
}

/** A sentence for each thing that the state asks for, and `base` does not, that cannot be. */
export const complaintsOf = (state: State, base: State, called: Calling): string[] =>
  misfits(state, base, called).map(({ sentence }) => sentence)

/** The state with what stands in the place of what cannot be, to be handed on without a complaint. */
export const fitting = (state: State, base: State): State => ({
  ...state,
  ...Object.fromEntries(misfits(state, base, String).map(({ name, instead }) => [name, instead])),
})
