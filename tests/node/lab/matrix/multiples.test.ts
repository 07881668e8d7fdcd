import { expect, test } from 'vitest'
import { fit } from '../../../../web/src/lab/matrix/fit.ts'
import { gap, groupsOf, multiples, padding } from '../../../../web/src/lab/matrix/multiples.ts'

const labels = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`)

test.each([6, 16, 24, 64])('eight heads of %d tokens stand within the width, in every grouping', (count) => {
  for (const kvHeads of [1, 2, 4, 8]) {
    for (const width of [460, 768, 1040, 1400]) {
      const groupSize = 8 / kvHeads
      const tokens = labels(count)
      const { strip, across, frames, room } = multiples(kvHeads, groupSize, tokens, tokens, { width, ratio: 1 })
      const frame = groupSize > 1 ? padding : 0
      const needed = frames * (across * room + (across - 1) * gap + frame) + (frames - 1) * gap
      expect(strip).toBe(false)
      expect(needed, `${kvHeads} KV heads in ${width}`).toBeLessThanOrEqual(width)
      const size = fit(tokens, tokens, { width: room, ratio: 1 })
      expect(size.width + size.rowLabel, `${kvHeads} KV heads in ${width}`).toBeLessThanOrEqual(room)
    }
  }
})

test('on a wide screen eight heads of six tokens are seen at once, with digits', () => {
  const tokens = labels(6)
  const { across, frames, room } = multiples(4, 2, tokens, tokens, { width: 1400, ratio: 1 })
  expect(fit(tokens, tokens, { width: room, ratio: 1 }).text).toBeGreaterThan(0)
  expect(across * frames).toBeLessThan(8)
})

test('two heads stand side by side where both have digits, and not below each other with larger cells', () => {
  const tokens = labels(6)
  for (const [groups, size] of [
    [2, 1],
    [1, 2],
  ] as const) {
    const { across, frames, room } = multiples(groups, size, tokens, tokens, { width: 660, ratio: 1 })
    expect(across * frames).toBe(2)
    expect(fit(tokens, tokens, { width: room, ratio: 1, sums: true })).toMatchObject({ sums: 44 })
  }
})

test('on a narrow one they are a strip into which the next head looks', () => {
  const tokens = labels(6)
  const { strip, room } = multiples(2, 4, tokens, tokens, { width: 336, ratio: 2 })
  expect(strip).toBe(true)
  expect(room).toBeLessThan(336 - 20)
  expect(multiples(1, 1, tokens, tokens, { width: 336, ratio: 2 }).room).toBe(336)
})

test('heads that read the same KV head stand together', () => {
  expect(groupsOf(4, [0, 0, 1, 1])).toEqual([
    { kvHead: 0, heads: [0, 1] },
    { kvHead: 1, heads: [2, 3] },
  ])
  expect(groupsOf(2, undefined).map(({ heads }) => heads)).toEqual([[0], [1]])
})

test('two heads of six tokens are half as high as four', () => {
  const heightOf = (heads: number) => multiples(heads, 1, labels(6), labels(6), { width: 660, ratio: 1 }).height
  expect(heightOf(2)).toBeGreaterThan(6 * 32)
  expect(heightOf(4)).toBe(2 * heightOf(2))
})
