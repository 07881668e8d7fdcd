// For those who don't see the page, or don't use a mouse: axe-core, the keyboard,
// announcements, contrast.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cell, choose, click, desk, focused, goTo, phone, slider, step, strip, title, turn } from '../support/lab.ts'
import { useSite } from '../support/site.ts'

const open = useSite()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core objects to. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const results = await page.evaluate(() => (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run())
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
  )
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [name, size] of Object.entries({ desk, phone })) {
    test(`axe-core finds nothing, ${name}, ${colorScheme}`, async () => {
      const page = await open({ ...size, colorScheme })
      expect(await findings(page), 'at first').toEqual([])
      await page.goto(
        `${page.url()}?h=4&kv=2&window=1&w=2&sinks=1&prefix=1&docs=1&blocks=1&dilated=1&paint=1&pos=own&scale=own&lock=1`,
      )
      await page.getByText('Computed by').waitFor()
      expect(await findings(page), 'all controls').toEqual([])
      await slider(page, 'Query heads').press('Home')
      await goTo(page, 'Wq')
      await page.getByRole('textbox', { name: 'Seed, as a number' }).fill('x')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      expect(await findings(page), 'an editable stage, a refusal, a menu').toEqual([])
    })
  }
}

test('everything can be reached by the tab key alone, in the order in which it is read', async () => {
  const page = await open({ ...desk, query: '?h=2&view=one' })
  const stops: string[] = []
  for (let i = 0; i < 90; ++i) {
    await page.keyboard.press('Tab')
    const stop = await focused(page)
    if (i > 0 && stop === stops[0]) break
    stops.push(stop)
  }
  for (const wanted of [
    'Copy link',
    'Export',
    'x 6 × 6: Tokens x, B 1, T 6, M 6',
    'output 6 × 6: Output, B 1, T 6, N 6',
    'Weights [1, 0]',
    'Term by term',
    'Sentence, split on spaces',
    'Tokens (keys S)',
    'Tokens (keys S), as a number',
    'Training',
    'Query heads',
    'KV heads',
    'Head dim D',
    'Value dim Dv',
    '1',
    'Softcap (0: none)',
    'Seed',
    'Causal',
    'Sliding window',
    'Painted by hand',
  ]) {
    expect(stops, wanted).toContain(wanted)
  }
  // A matrix is one stop.
  expect(stops.filter((stop) => /^Weights \[/.test(stop))).toHaveLength(1)
})

test('the keyboard alone: choose a stage, walk to a cell, keep it, change a slider, turn a rule', async () => {
  const page = await open(desk)
  await strip(page)
    .getByRole('button', { name: /^q·k 6/ })
    .focus()
  await page.keyboard.press('Enter')
  await cell(page, 'q·k', 1, 0).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => title(page)).toBe('starts → Your')
  await page.keyboard.press('Escape')
  await slider(page, 'Query heads').focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('checkbox', { name: 'Sliding window' }).focus()
  await page.keyboard.press('Space')
  await expect.poll(() => new URL(page.url()).search).toContain('window=1')
  expect(new URL(page.url()).searchParams.get('h')).toBe('2')
})

test('a change is announced once, when the controls rest', async () => {
  const page = await open()
  const status = page.locator('attention-playground').getByRole('status')
  expect(await status.textContent()).toBe('')
  await status.evaluate((element) => {
    const counted = element as HTMLElement & { times: number }
    counted.times = 0
    new MutationObserver(() => counted.times++).observe(element, {
      subtree: true,
      childList: true,
      characterData: true,
    })
  })
  await step(page, 'Tokens (keys S)', 3)
  await expect.poll(() => status.textContent()).toContain('9 tokens')
  await page.waitForTimeout(600)
  expect(await status.evaluate((element) => (element as HTMLElement & { times: number }).times)).toBe(1)
  await turn(page, 'Sliding window')
  await expect.poll(() => status.textContent()).toContain('masked by the causal rule and the sliding window')
  await step(page, 'Seed', 1)
  await page.waitForTimeout(700)
  expect(await status.count()).toBe(1)
})

test('whatever is changed is in the announcement', async () => {
  const page = await open({ query: '?h=4' })
  const status = page.locator('attention-playground').getByRole('status')
  const changes = [
    ['KV heads: 2', () => step(page, 'KV heads', -1)],
    ['Softcap (0: none): 0.5', () => step(page, 'Softcap (0: none)', 1)],
    ['Wq: Random', () => choose(page, 'Wq', 'Random')],
    ['Seed: 1', () => step(page, 'Seed', 1)],
    ['Positions: Cached decoding', () => choose(page, 'Positions', 'Cached decoding')],
    ['Step: 1', () => step(page, 'Step', 1)],
  ] as const
  for (const [said, change] of changes) {
    await change()
    await expect.poll(() => status.textContent()).toContain(said)
  }
})

test('Escape frees a kept cell from anywhere in the widget, and where nothing has the focus', async () => {
  const page = await open({ query: '?lock=1' })
  const note = page.getByText('Kept. Escape lets it go.')
  await note.waitFor()
  await page.keyboard.press('Escape')
  await note.waitFor({ state: 'detached' })
  await click(page, 'Weights', 2, 1)
  await note.waitFor()
  await slider(page, 'Seed').focus()
  await page.keyboard.press('Escape')
  await note.waitFor({ state: 'detached' })
})

test('a cell that is hidden is read as hidden, with its rules', async () => {
  const page = await open({ query: '?window=1&w=1' })
  const tree = await page.locator('attention-stage .result').ariaSnapshot()
  expect(tree).toContain('grid "Weights"')
  expect(tree).toContain('columnheader "journey"')
  expect(tree).toContain('rowheader "journey"')
  expect(tree).toMatch(/gridcell "hidden: .*causal/)
  expect(tree).toMatch(/gridcell "hidden: .*window/)
})

test('with reduced motion nothing moves by itself', async () => {
  const page = await open({ reducedMotion: 'reduce' })
  const moving = await page.evaluate(() => {
    const durations: string[] = []
    const walk = (root: Document | ShadowRoot) => {
      for (const element of root.querySelectorAll('*')) {
        const { animationName, animationDuration } = getComputedStyle(element)
        if (animationName !== 'none' && animationDuration !== '0s')
          durations.push(`${element.localName} ${animationName}`)
        if (element.shadowRoot) walk(element.shadowRoot)
      }
    }
    walk(document)
    return durations
  })
  expect(moving).toEqual([])
})

test('of two widgets, Escape where nothing has the focus frees the cell of the one that was used last', async () => {
  const page = await open({ query: '?lock=1' })
  await page.locator('attention-playground').evaluate((widget) => {
    const other = document.createElement('attention-playground')
    other.setAttribute('locked', '')
    widget.after(other)
  })
  const note = page.getByText('Kept. Escape lets it go.')
  await expect.poll(() => note.count()).toBe(2)
  const other = page.locator('attention-playground').nth(1)
  await other.locator('.engine').hover()
  await page.keyboard.press('Escape')
  await expect.poll(() => other.getByText('Kept. Escape lets it go.').count()).toBe(0)
  expect(await note.count()).toBe(1)
  await page.locator('attention-playground .engine').first().hover()
  await page.keyboard.press('Escape')
  await expect.poll(() => note.count()).toBe(0)
})

test.each([
  ['a matrix above the stage’s own', '', 'q·k', 'Keys k', 'Weights [1, 0]'],
  ['a row that is no more', '?s=3', undefined, 'Weights', 'Weights [1, 0]'],
])('whoever is in %s that Undo takes away is near it afterwards', async (_, query, stage, matrix, expected) => {
  const page = await open({ query })
  if (stage) await goTo(page, stage)
  else await step(page, 'Tokens (keys S)', 3)
  await cell(page, matrix, stage ? 1 : 5, 0).focus()
  await page.keyboard.press('Control+z')
  await expect.poll(() => focused(page)).toBe(expected)
})

test('the focus stays in the widget when all of the stage goes, and comes back to a cell with the heads', async () => {
  const page = await open({ query: '?h=2' })
  await page.getByRole('button', { name: /^Query head 1/ }).click()
  await cell(page, 'Weights', 2, 0).focus()
  await page.keyboard.press('Control+z')
  await expect.poll(() => focused(page)).toMatch(/^Weights, Query head 0 \[/)
  await page.locator('attention-playground').evaluate((widget) => Object.assign(widget, { keys: 0 }))
  await expect.poll(() => focused(page)).toBe('Sentence, split on spaces')
})
