// The numbers of the worked example, as the page shows them.

import { expect, test } from 'vitest'
import { card, cell, cells, choose, columns, rows, vectors } from './support/playground.ts'
import { useSite } from './support/site.ts'

const open = useSite()
const tokens = ['Your', 'journey', 'starts', 'with', 'one', 'step']

test('the causal table appears', async () => {
  const page = await open()
  const hidden = 'hidden: causal rule'
  expect(await columns(page)).toEqual(tokens)
  expect(await rows(page)).toEqual(tokens)
  expect(await cells(page)).toEqual([
    ['1.000', hidden, hidden, hidden, hidden, hidden],
    ['0.368', '0.632', hidden, hidden, hidden, hidden],
    ['0.228', '0.389', '0.382', hidden, hidden, hidden],
    ['0.205', '0.296', '0.292', '0.208', hidden, hidden],
    ['0.175', '0.225', '0.227', '0.157', '0.216', hidden],
    // 0.13847: the example's 0.139 is rounded from 0.1385.
    ['0.138', '0.218', '0.213', '0.142', '0.099', '0.190'],
  ])
})

test('the six tokens carry the example’s vectors', async () => {
  const page = await open()
  expect(await vectors(page)).toEqual([
    [0.43, 0.15, 0.89],
    [0.55, 0.87, 0.66],
    [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33],
    [0.77, 0.25, 0.1],
    [0.05, 0.8, 0.55],
  ])
  expect(await page.locator('#origin').textContent()).toBe('All vectors are those of the worked example.')
})

test('without a mask the card has every number of the row of “journey”', async () => {
  const page = await open()
  await choose(page, 'None')
  const scores: (string | undefined)[] = []
  const weights: (string | undefined)[] = []
  for (let key = 0; key < tokens.length; ++key) {
    await cell(page, 1, key).hover()
    const { title, dot, scale, mask, softmax, output } = await card(page)
    expect(title).toBe(`journey → ${tokens[key]}`)
    expect([scale.result, mask.result]).toEqual([dot.result, dot.result])
    expect(mask.work).toBe('visible')
    expect(output).toEqual(['0.4419', '0.6515', '0.5683'])
    scores.push(dot.result)
    weights.push(softmax.result)
  }
  expect(scores).toEqual(['0.9544', '1.4950', '1.4754', '0.8434', '0.7070', '1.0865'])
  expect(weights).toEqual(['0.1385', '0.2379', '0.2333', '0.1240', '0.1082', '0.1581'])
})

test('the last row is the same with and without the causal mask', async () => {
  const page = await open()
  const masked = (await cells(page)).at(-1)
  await choose(page, 'None')
  expect((await cells(page)).at(-1)).toEqual(masked)
})

test('a dot product is spelled out with its factors', async () => {
  const page = await open()
  await cell(page, 1, 0).hover()
  const { dot, scale, softmax, note, shares } = await card(page)
  expect(dot).toEqual({ work: '0.55 × 0.43 + 0.87 × 0.15 + 0.66 × 0.89', result: '0.9544' })
  expect(scale).toEqual({ work: '0.9544 × 1', result: '0.9544' })
  expect(softmax).toEqual({ work: 'exp(0.9544 − 1.4950) ÷ 1.5824', result: '0.3680' })
  expect(note).toBe('1.4950 is the row’s largest score, 1.5824 the sum of the row’s exponentials.')
  expect(shares.slice(0, 3)).toEqual(['Your 0.368 × 0.43 0.15 0.89', 'journey 0.632 × 0.55 0.87 0.66', 'starts hidden'])
})
