// Every slider and field changes what it says, and the numbers follow from the vectors
// and weights that are shown.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectRightWeights } from '../support/expected.ts'
import { card, cells, choose, columns, goTo, numberOf, sentence, slider, step, type } from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

const refusal = (page: Page, name: string) =>
  page
    .locator('attention-field')
    .filter({ has: slider(page, name) })
    .getByRole('alert')

const text = (page: Page, name: string) => page.getByRole('textbox', { name: `${name}, as a number`, exact: true })

test('tokens: the sentence goes on with words of the story, and shrinks', async () => {
  const page = await open()
  await step(page, 'Tokens (keys S)', 2)
  await expect.poll(() => columns(page, 'Weights')).toEqual('Your journey starts with one step and then'.split(' '))
  await expectRightWeights(page, { keys: 8 })
  await step(page, 'Tokens (keys S)', -5)
  await expect.poll(() => columns(page, 'Weights')).toEqual(['Your', 'journey', 'starts'])
})

test('the slider of the tokens keeps the focus where there is nothing more to show', async () => {
  const page = await open()
  await step(page, 'Tokens (keys S)', -6)
  await expect.poll(() => page.locator('attention-stage').count()).toBe(0)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => columns(page, 'Weights')).toEqual(['Your', 'journey'])
})

test('a sentence has as many tokens as it has words', async () => {
  const page = await open()
  await sentence(page).fill('one hello one hello')
  expect(await numberOf(page, 'Tokens (keys S)')).toBe('4')
  await goTo(page, 'Tokens x')
  const [one, hello, again, helloAgain] = await cells(page, 'Tokens x')
  expect(one).toEqual(['0.77', '0.25', '0.1'])
  expect([again, helloAgain]).toEqual([one, hello])
})

test('queries: fewer than keys are the last ones, against a context', async () => {
  const page = await open()
  await step(page, 'Queries T', -4)
  await expect.poll(async () => (await cells(page, 'Weights')).length).toBe(2)
  await expectRightWeights(page, { queries: 2 })
})

test('query heads, KV heads (only divisors), head dim and value dim', async () => {
  const page = await open()
  await step(page, 'Query heads', 5)
  const counts: (string | null)[] = []
  for (let i = 0; i < 4; ++i) {
    counts.push(await numberOf(page, 'KV heads'))
    await step(page, 'KV heads', -1)
  }
  expect(counts).toEqual(['6', '3', '2', '1'])
  await step(page, 'KV heads', 1)
  await step(page, 'Head dim D', -1)
  await step(page, 'Value dim Dv', 2)
  await expectRightWeights(page, { queryHeads: 6, kvHeads: 2, headDim: 2, valueDim: 4 })
  await step(page, 'Query heads', -1)
  expect(await numberOf(page, 'KV heads')).toBe('1')
})

test('with one query head there is one KV head to choose', async () => {
  const page = await open()
  expect(await slider(page, 'KV heads').isDisabled()).toBe(true)
})

test('scale: 1/√D, and an own number', async () => {
  const page = await open()
  await choose(page, 'Scale', '1/√D')
  expect((await card(page)).steps['× scale']).toBe('0.9544 × 0.5774 = 0.5510')
  await expectRightWeights(page, { scale: 'root' })
  await choose(page, 'Scale', 'own')
  await type(page, 'Own scale', '-2')
  await expectRightWeights(page, { scale: 'own', ownScale: -2 })
})

test('softcap: a stage of its own, and a line in the card', async () => {
  const page = await open()
  await type(page, 'Softcap (0: none)', '0.5')
  expect((await card(page)).steps.softcap).toMatch(/^0\.5000·tanh\(0\.9544 ÷ 0\.5000\) = 0\.4785$/)
  await expectRightWeights(page, { softcap: 0.5 })
})

test('seed: other vectors for words that have none, and other random weights', async () => {
  const page = await open({ query: '?s=8&stage=x' })
  const before = await cells(page, 'Tokens x')
  await step(page, 'Seed', 3)
  await expect.poll(async () => (await cells(page, 'Tokens x'))[7]).not.toEqual(before[7])
  expect((await cells(page, 'Tokens x'))[0]).toEqual(['0.43', '0.15', '0.89'])
  await expectRightWeights(page, { keys: 8, seed: 3 })
})

test('slider-steps: three steps of 0.1 from 0 are 0.3, also in the link', async () => {
  const page = await open({ query: '?scale=own&sv=0' })
  await step(page, 'Own scale', 3)
  expect(await text(page, 'Own scale').inputValue()).toBe('0.3')
  await expect.poll(() => new URL(page.url()).searchParams.get('sv')).toBe('0.3')
})

test('slider-steps: a comma is a decimal point, and what could be two numbers is refused in words', async () => {
  const page = await open({ query: '?scale=own', locale: 'de-DE' })
  await type(page, 'Own scale', '0,5')
  expect(await text(page, 'Own scale').inputValue()).toBe('0.5')
  await type(page, 'Own scale', '0,25')
  expect((await card(page)).steps['× scale']).toBe('0.9544 × 0.2500 = 0.2386')
  await type(page, 'Own scale', '1,000')
  expect(await refusal(page, 'Own scale').textContent()).toBe(
    '“Own scale” takes a number from −10 to 10, not “1,000”; the former value was kept.',
  )
  expect(await text(page, 'Own scale').inputValue()).toBe('0.25')
  await type(page, 'Own scale', '2')
  expect(await refusal(page, 'Own scale').count()).toBe(0)
})

test('a count that cannot be is refused in words, and the state stays', async () => {
  const page = await open({ query: '?h=6' })
  await type(page, 'KV heads', '4')
  expect(await refusal(page, 'KV heads').textContent()).toBe('4 cannot be; it can be 1, 2, 3, 6.')
  expect(await numberOf(page, 'KV heads')).toBe('6')
  await type(page, 'Head dim D', '65')
  expect(await refusal(page, 'Head dim D').textContent()).toContain('takes a whole number from 1 to 64')
  await type(page, 'Head dim D', '1.5')
  expect(await refusal(page, 'Head dim D').textContent()).toContain('not “1.5”')
})

test('slider-race: sixty events in half a second end at the last, with its numbers', async () => {
  const page = await open()
  await slider(page, 'Tokens (keys S)').evaluate(async (element) => {
    const input = element as HTMLInputElement
    for (let event = 0; event < 60; ++event) {
      input.value = String(event === 59 ? 7 : (event * 7) % 30)
      input.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
      await new Promise((resolve) => setTimeout(resolve, 8))
    }
  })
  await expect.poll(() => columns(page, 'Weights')).toHaveLength(7)
  await expectRightWeights(page, { keys: 7 })
})

test('everything at once', async () => {
  const page = await open()
  await type(page, 'Tokens (keys S)', '9')
  for (const name of ['Query heads', 'Head dim D']) await type(page, name, '4')
  await type(page, 'KV heads', '2')
  await choose(page, 'Scale', '1/√D')
  // 16 features: the largest weights whose table stands there whole.
  await expectRightWeights(page, { keys: 9, queryHeads: 4, kvHeads: 2, headDim: 4, scale: 'root' })
})

test('an empty sentence says what to do, and the next word works', async () => {
  const page = await open()
  await sentence(page).fill('   ')
  expect(await page.getByText('No token yet').isVisible()).toBe(true)
  await sentence(page).fill('step')
  await expect.poll(() => cells(page, 'Weights')).toEqual([['1.000']])
})

test('every field is a property, and what it cannot hold is complained of', async () => {
  const page = await open()
  const widget = page.locator('attention-playground')
  const set = (name: string, value: unknown) =>
    widget.evaluate((element, [name, value]) => Object.assign(element, { [name as string]: value }), [name, value])
  const get = (name: string) => widget.evaluate((element, name) => Reflect.get(element, name), name)
  await set('queryHeads', 4)
  expect(await get('queryHeads')).toBe(4)
  await expectRightWeights(page, { queryHeads: 4 })
  await set('queryHeads', 2.5)
  expect(await get('queryHeads')).toBe(4)
  expect(await widget.getByRole('alert').textContent()).toContain('a whole number from 1 to 16, not “2.5”')
  await page.getByRole('button', { name: 'Undo' }).click()
  expect(await get('queryHeads')).toBe(1)
})

test('a slider that ends before the counts do says so, and the number beside it goes on', async () => {
  const page = await open()
  const says = (name: string) => page.locator('attention-field', { has: slider(page, name) }).locator('.ends')
  expect(await says('Tokens (keys S)').textContent()).toBe('Up to 2048 if typed.')
  expect(await says('Head dim D').count()).toBe(0)
  await type(page, 'Tokens (keys S)', '100')
  await expect.poll(() => numberOf(page, 'Tokens (keys S)')).toBe('100')
})
