// Where a lesson starts: what the page's attributes say is the state that Reset goes
// back to and from which a link differs.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cells, columns, desk, numberOf, press, step, turn } from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()

/** Puts a widget with these attributes in the place of the page's own. */
async function lesson(page: Page, attributes: Record<string, string>) {
  await page.locator('attention-playground').evaluate((own, attributes) => {
    const made = document.createElement('attention-playground')
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
    own.replaceWith(made)
  }, attributes)
  await page.getByText('Computed by').waitFor()
}

const property = (page: Page, name: string) =>
  page.locator('attention-playground').evaluate((element, name) => (element as never)[name] as unknown, name)

test('attributes say where it starts, and Reset goes back there', async () => {
  const page = await open(desk)
  await lesson(page, {
    text: 'to be or not to be',
    'query-heads': '4',
    'kv-heads': '2',
    window: '',
    'window-width': '2',
  })
  expect(await numberOf(page, 'Query heads')).toBe('4')
  expect(await numberOf(page, 'KV heads')).toBe('2')
  expect(await columns(page, 'Weights, Query head 0')).toEqual(['to', 'be', 'or', 'not', 'to', 'be'])
  const start = await cells(page, 'Weights, Query head 3')
  // A window of 2: the first token is out of the third's sight.
  expect(start[2]?.map((text) => text.startsWith('hidden'))).toEqual([true, false, false, true, true, true])
  expect(await property(page, 'link')).toBe('')

  await turn(page, 'Sliding window', false)
  await step(page, 'KV heads', -1)
  expect(await property(page, 'link')).toBe('kv=1&window=0')
  await press(page, 'Reset')
  await expect.poll(() => cells(page, 'Weights, Query head 3')).toEqual(start)
  expect(await property(page, 'link')).toBe('')
})

test('an attribute that changes later moves the start, and what a person has changed stays', async () => {
  const page = await open(desk)
  await lesson(page, { keys: '4' })
  await turn(page, 'Causal', false)
  const widget = page.locator('attention-playground')
  await widget.evaluate((element) => element.setAttribute('keys', '3'))
  await expect.poll(() => cells(page, 'Weights').then((rows) => rows.length)).toBe(3)
  expect(await property(page, 'causal')).toBe(false)
  await widget.evaluate((element) => element.removeAttribute('keys'))
  await expect.poll(() => cells(page, 'Weights').then((rows) => rows.length)).toBe(6)
  expect(await property(page, 'link')).toBe('causal=0')
})

test('what an attribute cannot be is said, and the rest counts', async () => {
  const page = await open(desk)
  await lesson(page, { keys: 'many', 'query-heads': '2' })
  expect(await page.getByRole('alert').allTextContents()).toEqual([
    '“keys” takes a whole number from 0 to 2048, not “many”; it was left out.',
  ])
  expect(await numberOf(page, 'Query heads')).toBe('2')
  expect(await numberOf(page, 'Tokens (keys S)')).toBe('6')
})
