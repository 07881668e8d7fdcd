// The numbers of the worked example, to the digit.

import { expect, test } from 'vitest'
import { card, cells, columns, expectCells, goTo, hover, rows, turn } from './support/lab.ts'
import { useSite } from './support/site.ts'

const open = useSite()

const tokens = ['Your', 'journey', 'starts', 'with', 'one', 'step']
const hidden = 'hidden: causal rule'

test('the page opens with the weights of six tokens under the causal mask', async () => {
  const page = await open()
  expect(await columns(page, 'Weights')).toEqual(tokens)
  expect(await rows(page, 'Weights')).toEqual(tokens)
  await expectCells(page, 'Weights', [
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
  await goTo(page, 'Tokens x')
  await expectCells(page, 'Tokens x', [
    ['0.43', '0.15', '0.89'],
    ['0.55', '0.87', '0.66'],
    ['0.57', '0.85', '0.64'],
    ['0.22', '0.58', '0.33'],
    ['0.77', '0.25', '0.1'],
    ['0.05', '0.8', '0.55'],
  ])
})

test('without a mask the card has every number of the row of “journey”', async () => {
  const page = await open()
  await turn(page, 'Causal', false)
  const scores: (string | undefined)[] = []
  const weights: (string | undefined)[] = []
  for (let key = 0; key < tokens.length; ++key) {
    await hover(page, 'Weights', 1, key)
    await expect.poll(async () => (await card(page)).title).toBe(`journey → ${tokens[key]}`)
    const { steps } = await card(page)
    const result = (step: string) => steps[step]?.split(' = ').at(-1)
    expect(steps['× scale']).toBe(`${result('q · k')} × 1 = ${result('q · k')}`)
    expect(steps.mask).toBe(`visible = ${result('q · k')}`)
    scores.push(result('× scale'))
    weights.push(result('softmax'))
  }
  expect(scores).toEqual(['0.9544', '1.4950', '1.4754', '0.8434', '0.7070', '1.0865'])
  expect(weights).toEqual(['0.1385', '0.2379', '0.2333', '0.1240', '0.1082', '0.1581'])
  await goTo(page, 'Output')
  const output: (string | undefined)[] = []
  for (let feature = 0; feature < 3; ++feature) {
    await hover(page, 'Output', 1, feature)
    await expect.poll(async () => (await card(page)).title).toBe(`journey · N ${feature}`)
    output.push((await card(page)).steps.sum?.split(' = ').at(-1))
  }
  expect(output).toEqual(['0.4419', '0.6515', '0.5683'])
})

test('the last row is the same with and without the causal mask', async () => {
  const page = await open()
  const masked = (await cells(page, 'Weights')).at(-1)
  expect(masked).toEqual(['0.138', '0.218', '0.213', '0.142', '0.099', '0.190'])
  await turn(page, 'Causal', false)
  await expect.poll(async () => (await cells(page, 'Weights'))[0]).not.toContain(hidden)
  expect((await cells(page, 'Weights')).at(-1)).toEqual(masked)
})

test('a dot product is spelled out with its factors', async () => {
  const page = await open()
  await hover(page, 'Weights', 1, 0)
  const { terms, steps, notes } = await card(page)
  expect(terms).toEqual([
    '0 0.5500 0.4300 0.2365 0.2365',
    '1 0.8700 0.1500 0.1305 0.3670',
    '2 0.6600 0.8900 0.5874 0.9544',
  ])
  expect(steps['× scale']).toBe('0.9544 × 1 = 0.9544')
  expect(steps.softmax).toBe('exp(0.9544 − 1.4950) ÷ 1.5824 = 0.3680')
  expect(notes[0]).toBe(
    '1.4950 is the row’s largest score, the exponential is 0.5824, and 1.5824 the sum of the row’s exponentials.',
  )
})
