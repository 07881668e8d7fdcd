// Vectors and weight matrices are a person's to change, cell by cell or as a whole.

import { expect, test } from 'vitest'
import { expectRightWeights } from '../support/expected.ts'
import {
  card,
  cell,
  cells,
  choose,
  desk,
  edit,
  expectCells,
  goTo,
  grid,
  hover,
  middle,
  press,
  sentence,
  sums,
  type,
} from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

test('a feature of a token: every number after it follows', async () => {
  const page = await open({ query: '?stage=x' })
  await edit(page, 'Tokens x', 0, 1, '-0,75')
  await expect.poll(async () => (await cells(page, 'Tokens x'))[0]).toEqual(['0.43', '−0.75', '0.89'])
  await expectRightWeights(page, { xEdits: new Map([['0.1', -0.75]]) })
})

test('a new sentence has the vectors of its own words, and Undo brings the edited ones back', async () => {
  const page = await open({ query: '?stage=x&xe=0.1:0.5,3.0:-1' })
  const edits = () => new URL(page.url()).searchParams.get('xe')
  await sentence(page).fill('Your way starts now')
  await expect.poll(edits).toBe('0.1:0.5')
  expect((await cells(page, 'Tokens x'))[0]).toEqual(['0.43', '0.5', '0.89'])
  expect((await cells(page, 'Tokens x'))[3]?.[0]).not.toBe('−1')
  await press(page, 'Undo')
  await expect.poll(edits).toBe('0.1:0.5,3.0:-1')
  expect((await cells(page, 'Tokens x'))[3]?.[0]).toBe('−1')
})

test('a cell of Wq, by the mouse', async () => {
  const page = await open({ query: '?stage=wq' })
  const { x, y } = await middle(page, 'Wq', 1, 2)
  await page.mouse.dblclick(x, y)
  await page.keyboard.type('2')
  await page.keyboard.press('Enter')
  await expectCells(page, 'Wq', [
    ['1', '0', '0'],
    ['0', '1', '2'],
    ['0', '0', '1'],
  ])
  await expectRightWeights(page, { wqEdits: new Map([['1.2', 2]]) })
})

test('Wk, Wv and Wo too, and what is computed is not', async () => {
  const page = await open()
  for (const name of ['Wk', 'Wv', 'Wo']) {
    await goTo(page, name)
    await edit(page, name, 0, 0, '3')
    await expect.poll(async () => (await cells(page, name))[0], { message: name }).toEqual(['3', '0', '0'])
  }
  await goTo(page, 'Queries q')
  await cell(page, 'Queries q', 0, 0).focus()
  await page.keyboard.press('Enter')
  expect(await page.locator('attention-stage input').count()).toBe(0)
})

test('Escape leaves the number as it was, and a word is refused beside the cell', async () => {
  const page = await open({ query: '?stage=wq' })
  await cell(page, 'Wq', 0, 0).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('much')
  await page.keyboard.press('Enter')
  expect(await page.getByRole('alert').textContent()).toContain('not a number')
  await page.keyboard.press('Escape')
  expect((await cells(page, 'Wq'))[0]).toEqual(['1', '0', '0'])
})

test('weights as a whole: identity, zero, seeded random', async () => {
  const page = await open({ query: '?stage=wq' })
  await choose(page, 'Wq', 'Zero')
  await expectCells(page, 'Wq', Array(3).fill(['0', '0', '0']))
  await expectRightWeights(page, { wq: 'zero' })
  await choose(page, 'Wq', 'Random')
  await goTo(page, 'Wq')
  const random = await cells(page, 'Wq')
  await expectRightWeights(page, { wq: 'random' })
  await type(page, 'Seed', '5')
  await goTo(page, 'Wq')
  await expect.poll(() => cells(page, 'Wq')).not.toEqual(random)
  await type(page, 'Seed', '0')
  await expectCells(page, 'Wq', random)
  await choose(page, 'Wq', 'Identity')
  await expectRightWeights(page, {})
})

test('the tokens’ vectors as a whole: identity, zero, seeded random, and the words’ own again', async () => {
  const page = await open({ query: '?stage=x' })
  const own = await cells(page, 'Tokens x')
  await edit(page, 'Tokens x', 0, 0, '5')
  await choose(page, 'Tokens x', 'Zero')
  await expectCells(page, 'Tokens x', Array(6).fill(['0', '0', '0']))
  await choose(page, 'Tokens x', 'Identity')
  await expect
    .poll(async () => (await cells(page, 'Tokens x')).slice(0, 2))
    .toEqual([
      ['1', '0', '0'],
      ['0', '1', '0'],
    ])
  await choose(page, 'Tokens x', 'Random')
  await expect.poll(async () => (await cells(page, 'Tokens x'))[5]?.includes('0')).toBe(false)
  await choose(page, 'Tokens x', 'Words’ own')
  await expectCells(page, 'Tokens x', own)
})

test('worked presets: each is said to be made by hand, and does what its name says', async () => {
  const page = await open({ query: '?h=2&d=4' })
  const looksAt = {
    'Previous token': (query: number) => query - 1,
    'First token': () => 0,
    'Same token': (query: number) => query,
  }
  for (const [preset, key] of Object.entries(looksAt)) {
    await choose(page, 'Vectors and weights', preset)
    expect(await page.getByText('made by hand').count(), preset).toBe(1)
    const least = async () => {
      const shown = await cells(page, 'Weights, Query head 0')
      return Math.min(...[1, 2, 3, 4, 5].map((query) => Number(shown[query]?.[key(query)])))
    }
    await expect.poll(least, { message: preset }).toBeGreaterThanOrEqual(0.9)
  }
  await choose(page, 'Vectors and weights', 'Words’ vectors')
  expect(await page.getByText('made by hand').count()).toBe(0)
})

test('an edit is one step back', async () => {
  const page = await open({ query: '?stage=wv' })
  await edit(page, 'Wv', 2, 2, '-4')
  await expect.poll(async () => (await cells(page, 'Wv'))[2]).toEqual(['0', '0', '−4'])
  await press(page, 'Undo')
  await expect.poll(async () => (await cells(page, 'Wv'))[2]).toEqual(['0', '0', '1'])
})

test('a filling or a preset takes the place of what was edited', async () => {
  const page = await open({ query: '?wqe=0.0:5&wke=1.1:7&stage=wq' })
  expect((await cells(page, 'Wq'))[0]?.[0]).toMatch(/^5/)
  await choose(page, 'Wq', 'Zero')
  await expect.poll(() => cells(page, 'Wq').then((rows) => new Set(rows.flat().map(Number)))).toEqual(new Set([0]))
  await goTo(page, 'Wk')
  expect((await cells(page, 'Wk'))[1]?.[1]).toMatch(/^7/)
  await choose(page, 'Vectors and weights', 'Previous token')
  await expect.poll(() => cells(page, 'Wk').then((rows) => rows.flat())).not.toContain('7.00')
  await expect.poll(() => new URL(page.url()).search).not.toMatch(/wqe|wke/)
})

test('colour-range: the sum of each row of weights stands beside it, and in the table', async () => {
  const hides = 'paint=1&cells=0.0'
  for (const [query, name] of [
    [`?${hides}`, 'Weights'],
    [`?${hides}&h=2`, 'Weights, Query head 1'],
  ] as const) {
    const page = await open({ ...desk, query })
    const expected = ['0.000', ...Array.from({ length: 5 }, () => '1.000')]
    expect(await sums(page, name)).toEqual(expected)
    const drawn = page.locator('attention-matrix').filter({ has: grid(page, name) })
    expect(await drawn.locator('.labels.sums span').allTextContents()).toEqual(expected)
  }
  // No digits, no sums.
  const small = await open({ ...desk, query: '?s=40' })
  expect(await sums(small, 'Weights')).toEqual([])
  expect(await small.locator('attention-stage .sums').count()).toBe(0)
})

test('numbers beyond float32 are shown as what they are, in every part', async () => {
  // 3e38² is infinite, and infinity less infinity is no number.
  const page = await open({ ...desk, query: '?s=3&xe=0.0:3e38,1.0:3e38&stage=scores' })
  await expect.poll(() => cells(page, 'Scores').then((rows) => rows[1]?.slice(0, 2))).toEqual(['infinity', 'infinity'])
  const inLegend = (text: string) => page.locator('attention-legend').getByText(text, { exact: true }).count()
  expect(await inLegend('infinite')).toBe(1)
  await goTo(page, 'Weights')
  await expect
    .poll(() => cells(page, 'Weights').then((rows) => rows[1]))
    .toEqual(['not a number', 'not a number', 'hidden: causal rule'])
  expect(await inLegend('not a number')).toBe(1)
  await hover(page, 'Weights', 1, 0)
  await expect.poll(() => card(page).then(({ steps }) => steps['q · k'])).toMatch(/ = ∞$/)
  expect((await card(page)).steps.softmax).toMatch(/ = NaN$/)
  await goTo(page, 'Output')
  await expect.poll(() => cells(page, 'Output').then((rows) => rows[1]?.[0])).toBe('not a number')
})

test('edited cells that are filled anew are told of once, and only where there were some', async () => {
  const page = await open({ query: '?stage=wq&wqe=0.0:2,1.1:3&xe=0.0:1' })
  const told = page.getByText(/Undo brings/)
  await choose(page, 'Wk', 'Zero')
  expect(await told.count()).toBe(0)
  await choose(page, 'Wq', 'Random')
  expect(await told.allTextContents()).toEqual(['2 edited cells of Wq were replaced; Undo brings them back.'])
  await press(page, 'Undo')
  await expect.poll(() => told.count()).toBe(0)
  expect((await cells(page, 'Wq'))[0]?.[0]).toBe('2')
  await choose(page, 'Vectors and weights', 'First token')
  expect(await told.allTextContents()).toEqual([
    '1 edited cell of Tokens x and 2 edited cells of Wq were replaced; Undo brings them back.',
  ])
  await choose(page, 'Vectors and weights', 'Same token')
  await expect.poll(() => told.count()).toBe(0)
})
