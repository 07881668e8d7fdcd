// Kinds of request: training, cached decoding, chunked prefill, ragged batch, left
// padding, own positions.

import { expect, test } from 'vitest'
import { expectRightWeights } from '../support/expected.ts'
import { card, cells, choose, columns, goTo, hover, rows, slider, step, type } from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

test('decode-offset: each step of cached decoding is the last row of all, to the last bit', async () => {
  const page = await open()
  const full = await cells(page, 'Weights')
  await choose(page, 'Positions', 'Cached decoding')
  for (let token = 0; token < 6; ++token) {
    if (token > 0) await step(page, 'Step', 1)
    const visible = full[token]?.slice(0, token + 1)
    await expect.poll(() => cells(page, 'Weights'), { message: `step ${token}` }).toEqual([visible])
    const says = page.getByText('Cached and full results')
    expect(await says.textContent()).toBe('Cached and full results are the same to the last bit.')
  }
  expect(await rows(page, 'Weights')).toEqual(['step'])
})

test('chunked prefill: queries 40 to 47 against keys 0 to 47', async () => {
  const page = await open()
  await type(page, 'Tokens (keys S)', '48')
  await choose(page, 'Positions', 'Chunked prefill')
  await type(page, 'Cached before', '40')
  await type(page, 'Chunk', '8')
  await expect.poll(() => page.getByRole('heading', { name: /^Weights \[T,\sS\]/ }).textContent()).toMatch(/8\s×\s48/)
  await hover(page, 'Weights', 0, 40)
  expect((await card(page)).where).toContain('query i at position 40, key j at 40')
  await hover(page, 'Weights', 0, 41)
  await expect.poll(async () => (await card(page)).steps.mask).toBe('hidden = −∞')
})

test('ragged batch: the second sequence ends early, and its padding is named', async () => {
  const page = await open()
  await choose(page, 'Positions', 'Ragged batch')
  await step(page, 'Sequence', 1)
  await expect.poll(() => columns(page, 'Weights')).toEqual(['Your', 'journey', 'starts', 'with', '∅', '∅'])
  const shown = await cells(page, 'Weights')
  expect(shown[4]?.every((text) => text.startsWith('hidden'))).toBe(true)
  expect(shown[3]?.slice(4).join()).toContain('padding')
  expect(shown[3]?.slice(0, 4)).toEqual(['0.205', '0.296', '0.292', '0.208'])
})

test('left-pad: a padded sequence has the numbers that it has alone', async () => {
  const page = await open()
  const alone = await cells(page, 'Weights')
  await choose(page, 'Positions', 'Left padding')
  await step(page, 'Sequence', 1)
  await expect.poll(() => columns(page, 'Weights')).toEqual(['∅', '∅', 'Your', 'journey', 'starts', 'with'])
  const shown = await cells(page, 'Weights')
  for (let row = 0; row < 4; ++row) {
    expect(shown[row + 2]?.slice(2, 3 + row), `row ${row}`).toEqual(alone[row]?.slice(0, row + 1))
  }
  expect(await page.getByText('Nobody sees padding').count()).toBe(1)
  await hover(page, 'Weights', 2, 2)
  expect((await card(page)).where).toContain('query i at position 0, key j at 0')
})

test('own positions: rows of numbers that can be edited, by which the rules go', async () => {
  const page = await open()
  await choose(page, 'Positions', 'Own positions')
  await page.getByRole('textbox', { name: 'Query positions' }).fill('5, 0, 3')
  await page.getByRole('textbox', { name: 'Key positions' }).fill('2 1')
  const positions = { positions: 'own', queryPositions: [5, 0, 3], keyPositions: [2, 1] } as const
  await expectRightWeights(page, positions)
  await page.getByRole('textbox', { name: 'Query positions' }).fill('5, x')
  await page.keyboard.press('Enter')
  expect(await page.getByRole('alert').textContent()).toContain('whole numbers from')
  await expectRightWeights(page, positions)
})

test('own positions begin with those that there are, and are typed key by key', async () => {
  const page = await open()
  await choose(page, 'Positions', 'Chunked prefill')
  await type(page, 'Cached before', '3')
  await choose(page, 'Positions', 'Own positions')
  const queries = page.getByRole('textbox', { name: 'Query positions' })
  // What is in use, of which some goes on from what there was.
  expect(await queries.inputValue()).toBe('3,4,5,6,7,8')
  await queries.press('ControlOrMeta+a')
  await queries.pressSequentially('-1, 3,4')
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await queries.inputValue()).toBe('-1, 3,4')
  await expectRightWeights(page, { positions: 'own', queryPositions: [-1, 3, 4], keyPositions: [0, 1, 2, 3, 4] })
  await queries.press('Tab')
  expect(await queries.inputValue()).toBe('-1,3,4,5,6,7')
  await page.getByRole('button', { name: 'Undo' }).click()
  expect(await queries.inputValue()).not.toContain('-1')
})

test('paint goes by the query: a step of decoding hides what its row of the whole hides', async () => {
  const page = await open({ query: '?paint=1&cells=3.1' })
  const whole = await cells(page, 'Weights')
  await choose(page, 'Positions', 'Cached decoding')
  await type(page, 'Step', '3')
  await expect.poll(() => cells(page, 'Weights')).toEqual([whole[3]?.slice(0, 4)])
  expect(await page.getByText('the same to the last bit').count()).toBe(1)
})

test('the controls are those that have a say', async () => {
  const page = await open()
  expect(await slider(page, 'Step').count()).toBe(0)
  await choose(page, 'Positions', 'Cached decoding')
  expect(await slider(page, 'Step').count()).toBe(1)
  expect(await slider(page, 'Queries T').count()).toBe(0)
  await goTo(page, 'Tokens x')
  await choose(page, 'Positions', 'Training')
  expect(await slider(page, 'Step').count()).toBe(0)
})
