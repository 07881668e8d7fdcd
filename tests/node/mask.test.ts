import { AttentionError, type NamedMask } from 'attention-playground'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onEachBuild } from './support/engines.ts'

const amount = (min: number) => fc.integer({ min, max: 9 })
const some = (min: number) => fc.option(amount(min), { nil: undefined })
const position = fc.integer({ min: -9, max: 30 })
const places = fc.record({
  queryPositions: fc.array(position, { maxLength: 9 }),
  keyPositions: fc.array(position, { maxLength: 9 }),
})
const rules = fc.oneof(
  fc.record({ rule: fc.constant('causal' as const) }),
  fc.record({ rule: fc.constant('window' as const), width: amount(1), sinks: some(0) }),
  fc.record({ rule: fc.constant('prefix' as const), length: amount(0) }),
  fc.record({
    rule: fc.constant('documents' as const),
    documents: fc.array(fc.integer({ min: -1, max: 2 }), { maxLength: 9 }),
  }),
  fc.record({
    rule: fc.constant('block-sparse' as const),
    blockSize: amount(1),
    localBlocks: some(1),
    globalStride: some(1),
  }),
  fc.record({ rule: fc.constant('dilated' as const), width: amount(1), dilation: amount(1) }),
)

const wrong: [object, string, string, RegExp][] = [
  [{ rule: 'diagonal' }, 'wrong-value', 'rule', /must be 'causal', .* or 'dilated', but is 'diagonal'/],
  [{ rule: 'window' }, 'missing-field', 'width', /The rule 'window' needs width/],
  [{ rule: 'window', width: 0 }, 'wrong-value', 'width', /width must be a whole number of at least 1, but is 0/],
  [{ rule: 'window', width: -1 }, 'wrong-value', 'width', /-1/],
  [{ rule: 'window', width: 1.5 }, 'wrong-value', 'width', /1\.5/],
  [{ rule: 'window', width: '3' }, 'wrong-type', 'width', /'3'/],
  [{ rule: 'causal', width: 3 }, 'unknown-field', 'width', /The rule 'causal' takes no width/],
  [{ rule: 'prefix', length: 1, amount: 2 }, 'unknown-field', 'amount', /'amount'/],
  [{ rule: 'documents', documents: [0, 0.5] }, 'wrong-value', 'documents', /0\.5/],
]

onEachBuild('masks by name', (engine) => {
  test('the code of a rule is what it does', () => {
    fc.assert(
      fc.property(rules, places, (rule, { queryPositions, keyPositions }) => {
        const mask: NamedMask = {
          ...{ ...rule, queryPositions, keyPositions },
          ...{ queries: queryPositions.length, keys: keyPositions.length },
        }
        const { allowed, shape, code } = engine().mask(mask)
        const sees = new Function('query', 'key', 'documents', 'floor', `return ${code}`)
        const documents = 'documents' in rule ? rule.documents : undefined
        expect(shape).toEqual([queryPositions.length, keyPositions.length])
        const expected = queryPositions.flatMap((query) =>
          keyPositions.map((key) => Number(sees(query, key, documents, Math.floor))),
        )
        expect([...allowed], code).toEqual(expected)
      }),
      { numRuns: 1000 },
    )
  })

  test.each(wrong)('%j is refused', (given, code, field, message) => {
    const mask = { queries: 3, keys: 3, ...given } as never
    expect(() => engine().mask(mask)).toThrow(AttentionError)
    expect(() => engine().mask(mask)).toThrow(message)
    try {
      engine().mask(mask)
    } catch (error) {
      expect(error).toMatchObject({ code, field })
    }
  })
})
