// Undo, redo, reset, and the state in the address.

import { expect, inject, test } from 'vitest'
import { expectRightWeights } from '../support/expected.ts'
import {
  card,
  cell,
  cells,
  choose,
  click,
  goTo,
  middle,
  numberOf,
  press,
  sentence,
  step,
  title,
  turn,
} from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

test('undo, redo and reset; none of them where there is nothing to do', async () => {
  const page = await open()
  const able = async () =>
    Promise.all(['Undo', 'Redo', 'Reset'].map((name) => page.getByRole('button', { name, exact: true }).isEnabled()))
  expect(await able()).toEqual([false, false, false])
  // One slide is one step, however many notches it has.
  await step(page, 'Tokens (keys S)', 3)
  await choose(page, 'Scale', '1/√D')
  expect(await able()).toEqual([true, false, true])
  await press(page, 'Undo')
  await expectRightWeights(page, { keys: 9 })
})

test('redo after undo, and a reset that can be undone', async () => {
  const page = await open()
  await step(page, 'Query heads', 1)
  await press(page, 'Undo')
  await expect.poll(() => numberOf(page, 'Query heads')).toBe('1')
  await press(page, 'Redo')
  await expect.poll(() => numberOf(page, 'Query heads')).toBe('2')
  await press(page, 'Reset')
  await expect.poll(() => numberOf(page, 'Query heads')).toBe('1')
  await press(page, 'Undo')
  await expect.poll(() => numberOf(page, 'Query heads')).toBe('2')
})

test('undo and redo by the keyboard, anywhere but in a text, which has its own', async () => {
  const page = await open()
  const dim = () => numberOf(page, 'Head dim D')
  await page.keyboard.press('Control+z')
  await step(page, 'Head dim D', 1)
  await page.keyboard.press('Control+z')
  await expect.poll(dim).toBe('3')
  await page.keyboard.press('Control+Shift+Z')
  await expect.poll(dim).toBe('4')
  await cell(page, 'Weights', 1, 0).focus()
  await page.keyboard.press('Control+z')
  await expect.poll(dim).toBe('3')
  await page.keyboard.press('Control+y')
  await expect.poll(dim).toBe('4')
  await sentence(page).focus()
  await page.keyboard.press('Control+z')
  await page.waitForTimeout(200)
  expect(await dim()).toBe('4')
})

test('a sentence is typed in one step, and an edit by a double click is one', async () => {
  const page = await open({ query: '?stage=wq' })
  const before = await sentence(page).inputValue()
  await sentence(page).fill('')
  await sentence(page).pressSequentially('one small step', { delay: 20 })
  await press(page, 'Undo')
  await expect.poll(() => sentence(page).inputValue()).toBe(before)
  const { x, y } = await middle(page, 'Wq', 0, 1)
  await page.mouse.dblclick(x, y)
  await page.keyboard.type('2')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await cells(page, 'Wq'))[0]).toEqual(['1', '2', '0'])
  await press(page, 'Undo')
  await expect.poll(async () => (await cells(page, 'Wq'))[0]).toEqual(['1', '0', '0'])
  expect(await page.getByRole('button', { name: 'Undo', exact: true }).isEnabled()).toBe(false)
})

test('the card is about the stage that is shown, after an undo while a cell has the focus, too', async () => {
  const page = await open()
  await goTo(page, 'Output')
  await page.waitForTimeout(800)
  await cell(page, 'Output', 2, 1).focus()
  await expect.poll(() => title(page)).toBe('starts · N 1')
  await page.keyboard.press('Control+z')
  await expect.poll(async () => (await card(page)).where).toMatch(/^Weights/)
  await page.locator('attention-playground').evaluate((element) => {
    ;(element as HTMLElement & { link: string }).link = 'stage=q'
  })
  await expect.poll(async () => (await card(page)).where).toMatch(/^Queries q/)
})

test('the address holds what differs, and gives the same picture in another window', async () => {
  const page = await open()
  await turn(page, 'Sliding window')
  await step(page, 'Width', -1)
  await sentence(page).fill('Ein <b>& 100% Satz')
  await click(page, 'Weights', 2, 1)
  await expect.poll(() => new URL(page.url()).searchParams.get('cell')).toBe('2,1')
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    text: 'Ein <b>& 100% Satz',
    window: '1',
    w: '2',
    cell: '2,1',
    lock: '1',
  })
  const other = await open({ query: new URL(page.url()).search })
  expect(await cells(other, 'Weights')).toEqual(await cells(page, 'Weights'))
  expect(await card(other)).toEqual(await card(page))
})

test('edits of cells are in the address too', async () => {
  const page = await open({ query: '?stage=wq' })
  await cell(page, 'Wq', 0, 1).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('0.1')
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('wqe')).toBe('0.1:0.1')
  const other = await open({ query: new URL(page.url()).search })
  await expectRightWeights(other, { wqEdits: new Map([['0.1', 0.1]]) })
})

test('at the start the address is bare again', async () => {
  const page = await open()
  await step(page, 'Query heads', 1)
  await expect.poll(() => new URL(page.url()).search).toBe('?h=2')
  await press(page, 'Reset')
  await expect.poll(() => new URL(page.url()).search).toBe('')
})

test('one Back leaves the page, whatever was done on it', async () => {
  const page = await open()
  await page.goto('about:blank')
  await page.goto(inject('site'))
  await page.getByText('Computed by').waitFor()
  await step(page, 'Query heads', 2)
  await goTo(page, 'Output')
  await expect.poll(() => new URL(page.url()).searchParams.get('stage')).toBe('output')
  await page.goBack()
  expect(page.url()).toBe('about:blank')
})

test('a bad link says what is bad, and the rest counts', async () => {
  const page = await open({ query: '?h=2&kv=many&colour=red&text=%3Cimg%20src=x%20onerror=alert(1)%3E&s=3' })
  const sentences = await page.getByRole('alert').allTextContents()
  expect(sentences).toEqual([
    '“kv” takes a whole number from 1 to 16, not “many”; it was left out.',
    'There is nothing named “colour”; it was left out.',
  ])
  expect(await numberOf(page, 'Query heads')).toBe('2')
  expect(await page.locator('img').count()).toBe(0)
  expect(await title(page)).toBe('src=x → <img')
})

test('copying the link copies the address of this state', async () => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await step(page, 'Query heads', 1)
  await press(page, 'Copy link')
  await page.getByText('Copied.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${inject('site')}?h=2`)
})

test('where nothing can be copied the link stands there to be taken', async () => {
  const page = await open({
    before: (page) =>
      page.addInitScript(() => {
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('no')) } })
      }),
  })
  await press(page, 'Copy link')
  expect(await page.getByRole('textbox', { name: /did not let this be copied/ }).inputValue()).toBe(inject('site'))
})

test('a link that asks for KV heads that cannot be says so', async () => {
  const page = await open({ query: '?h=4&kv=3' })
  expect(await page.getByRole('alert').textContent()).toBe(
    '“kv” has to divide the 4 query heads, and 3 does not; it is 2 here.',
  )
})

test('a link that asks for a cell, a head or a stage that there is not says so, and shows the nearest', async () => {
  const page = await open({ query: '?h=2&head=5&view=one&stage=capped&cell=9,0' })
  expect(await page.getByRole('alert').allTextContents()).toEqual([
    '“head” takes a whole number from 0 to 1 here, not “5”; it is 1.',
    expect.stringMatching(/^“stage” takes one of x, .*, output here, not “capped”; it is weights\.$/),
    '“cell” takes a row from 0 to 5 and a column from 0 to 5 here, not “9,0”; it is 5,0.',
  ])
  const { title, where } = await card(page)
  expect(title).toBe('step → Your')
  expect(where).toMatch(/^Weights, query head 1/)
})

test('the address that the page writes asks for nothing that there is not', async () => {
  const page = await open()
  await click(page, 'Weights', 5, 5)
  await goTo(page, 'Wq')
  await expect.poll(() => new URL(page.url()).search).toBe('?stage=wq&cell=2%2C2')
  const other = await open({ query: new URL(page.url()).search })
  expect(await other.getByRole('alert').count()).toBe(0)
  expect(await card(other)).toEqual(await card(page))
})
