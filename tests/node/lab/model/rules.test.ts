// The mask as rules that hold at once: each against a predicate of the test's own,
// and a bit for each that hides a pair.

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Attention } from '../../../../web/src/engine/index.ts'
import { placesOf } from '../../../../web/src/lab/model/positions.ts'
import { hiddenBits, ruleControls, ruleIfOn, rulesOf } from '../../../../web/src/lab/model/rules.ts'
import { settingsOf } from '../../../../web/src/lab/model/settings.ts'
import { type FlagName, fields, type Name, type State, start } from '../../../../web/src/lab/model/state.ts'
import { loadEngine } from '../support/engine.ts'
import { requestOf } from '../support/request.ts'
import { smallStates } from '../support/states.ts'

let engine: Attention
beforeAll(async () => {
  engine = await loadEngine()
})

function rules(changes: Partial<State>) {
  const settings = settingsOf({ ...start, causal: false, ...changes })
  return rulesOf(engine, settings, placesOf(settings))
}

/** A rule as lines of 0 and 1, a line for each query. */
function drawing(allowed: Uint8Array, keys: number): string[] {
  const lines: string[] = []
  for (let at = 0; at < allowed.length; at += keys) lines.push(allowed.subarray(at, at + keys).join(''))
  return lines
}

/** The first rule of six tokens, drawn, and its code. */
function only(changes: Partial<State>) {
  const [rule, ...more] = rules(changes)
  expect(more).toEqual([])
  return { name: rule?.name, lines: drawing(rule?.allowed ?? new Uint8Array(), 6), code: rule?.code }
}

describe('each rule, drawn', () => {
  test('causal', () => {
    expect(only({ causal: true })).toEqual({
      name: 'causal',
      lines: ['100000', '110000', '111000', '111100', '111110', '111111'],
      code: 'key <= query',
    })
  })
  test('window-size: a window of 2 is the query’s own key and the one before', () => {
    expect(only({ window: true, windowWidth: 2 })).toEqual({
      name: 'window',
      lines: ['100000', '110000', '011000', '001100', '000110', '000011'],
      code: 'key <= query && query - key < 2',
    })
  })
  test('a window with sinks', () => {
    const { lines } = only({ window: true, windowWidth: 2, sinks: 1 })
    expect(lines).toEqual(['100000', '110000', '111000', '101100', '100110', '100011'])
  })
  test('prefix', () => {
    const { lines } = only({ prefix: true, prefixLength: 3 })
    expect(lines).toEqual(['111000', '111000', '111000', '111100', '111110', '111111'])
  })
  test('documents; what is left over belongs to the last', () => {
    expect(only({ documents: true, documentLengths: [2, 3] }).lines).toEqual([
      '110000',
      '110000',
      '001111',
      '001111',
      '001111',
      '001111',
    ])
  })
  test('block-sparse', () => {
    const lines = ['100000', '110000', '111000', '111100', '001110', '001111']
    expect(only({ blocks: true, blockSize: 2, localBlocks: 2 }).lines).toEqual(lines)
    // Every third block: none is that far yet but the third.
    expect(only({ blocks: true, blockSize: 1, localBlocks: 1, globalStride: 3 }).lines).toEqual([
      '100000',
      '010000',
      '001000',
      '001100',
      '001010',
      '001001',
    ])
  })
  test('dilated', () => {
    const { lines } = only({ dilated: true, dilatedWidth: 5, dilation: 2 })
    expect(lines).toEqual(['100000', '010000', '101000', '010100', '101010', '010101'])
  })
  test('paint hides the cells that are painted, by row and column', () => {
    const { lines, code } = only({ painted: true, paintedCells: new Set(['0.0', '5.3', '9.9']) })
    expect(lines).toEqual(['011111', '111111', '111111', '111111', '111111', '111011'])
    expect(code).toBe('!painted[query][key]')
  })
  test('left-pad: padding is seen by nobody and sees nothing', () => {
    const { name, lines, code } = only({ positions: 'padding', shorter: 2 })
    expect(name).toBe('padding')
    expect(code).toBe('!padding[query] && !padding[key]')
    expect(lines.slice(0, 6)).toEqual(Array(6).fill('111111'))
    expect(lines.slice(6)).toEqual(['000000', '000000', '000000', '000000', '000011', '000011'])
  })
})

test('rules go by positions, not by rows', () => {
  const [causal] = rules({ causal: true, keys: 5, positions: 'prefill', chunkStart: 3, chunkSize: 2 })
  expect(drawing(causal?.allowed as Uint8Array, 5)).toEqual(['11110', '11111'])
})

describe('a rule that is off', () => {
  const ifOn = (flag: FlagName, changes: Partial<State>) => {
    const settings = settingsOf({ ...start, causal: false, ...changes })
    const control = ruleControls.find((control) => control.flag === flag)
    const place = placesOf(settings)[0]
    if (!control || !place) throw new Error(`no ${flag}`)
    return ruleIfOn(engine, control, settings, place)
  }

  test('is what it is when it is on', () => {
    for (const { flag } of ruleControls) {
      const changes: Partial<State> = { keys: 8, positions: 'prefill', paintedCells: new Set(['3.1']) }
      expect(ifOn(flag, changes)).toEqual(rules({ ...changes, [flag]: true })[0])
    }
  })

  test('is that of 64 tokens with its own amounts where there are many', () => {
    const { allowed, code } = ifOn('window', { keys: 2048, windowWidth: 100 })
    expect(allowed).toEqual(ifOn('causal', { keys: 64 }).allowed)
    expect(code).toBe('key <= query && query - key < 100')
    expect(ifOn('documents', { keys: 2048 }).allowed).toEqual(ifOn('documents', { keys: 64 }).allowed)
  })
})

test('without a rule nothing is hidden', () => {
  expect(rules({})).toEqual([])
  expect(hiddenBits([], 1, 36)).toEqual(new Uint16Array(36))
})

test('a bit for each rule that hides the pair, in the order of the rules, in any small state', () => {
  fc.assert(
    fc.property(smallStates, (state) => {
      const request = requestOf(state)
      const { batch, queries, keys } = request
      const settings = settingsOf(state)
      const found = rulesOf(engine, settings, placesOf(settings))
      expect(found.map(({ name }) => name)).toEqual(request.rules)
      const bits = hiddenBits(found, batch, queries * keys)
      for (let b = 0, index = 0; b < batch; ++b) {
        for (let query = 0; query < queries; ++query) {
          for (let key = 0; key < keys; ++key, ++index) {
            const names = found.flatMap(({ name }, bit) => (((bits[index] as number) >> bit) & 1 ? [name] : []))
            const where = `[${b}, ${query}, ${key}] of [${batch}, ${queries}, ${keys}]`
            expect(names, where).toEqual(request.hiddenBy(b, query, key))
          }
        }
      }
      expect(bits).toHaveLength(batch * queries * keys)
    }),
    { numRuns: 300 },
  )
})

test('the fields of the mask are the flags and their amounts, each once', () => {
  const maskFields = ruleControls.flatMap(({ flag, amounts }): Name[] => [flag, ...amounts])
  expect(new Set(maskFields).size).toBe(maskFields.length)
  const flags = maskFields.filter((name) => fields[name].kind === 'flag') as FlagName[]
  expect(flags).toEqual(['causal', 'window', 'prefix', 'documents', 'blocks', 'dilated', 'painted'])
})
