// The built site in Chromium: how long a person waits. Two clocks for a slider: the
// work between the event, sent as the browser sends it just before a frame, and the
// first task after that frame was painted; and the browser's own Event Timing of
// trusted key presses, to the next frame on the screen, in steps of 8 ms.

import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { buildSite } from '../build.mjs'
import { root } from '../lib/run.mjs'
import { serve } from '../lib/serve.mjs'
import { browser } from '../setup.mjs'
import { firstUse } from './first-use.mjs'
import { summary } from './measure.mjs'
import { milliseconds, table } from './table.mjs'

const flags =
  '--headless=new --no-sandbox --disable-background-networking --disable-component-update --disable-sync ' +
  '--no-first-run --disable-quic'

const slider = { query: '?s=64&h=8&d=8&scale=own', label: 'Own scale' }
const large = { query: '?s=512', rows: 512 }

const p95 = (times) => times.toSorted((a, b) => a - b)[Math.floor(0.95 * times.length)]
const spread = (times) => ({ ...summary(times), p95: p95(times) })

/** Milliseconds from each event to the first task after the frame that shows it. */
const eventToFrame = (input, events) =>
  input.evaluate(async (element, events) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const task = () =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = resolve
        port2.postMessage(undefined)
      })
    const times = []
    for (let event = 0; event < events; ++event) {
      await frame()
      const start = performance.now()
      element.value = String(0.5 + 0.1 * (event % 10))
      element.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
      // Asked for within a frame, it comes in the next one: the paint of this one lies between.
      await task()
      times.push(performance.now() - start)
    }
    return times
  }, events)

/** Milliseconds from each key press to the next frame on the screen; presses too short for the browser to tell count as 16. */
async function keyToScreen(page, input, presses) {
  await page.evaluate(() => {
    window.presses = []
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') window.presses.push(duration)
    }).observe({ type: 'event', durationThreshold: 16 })
  })
  await input.focus()
  for (let press = 0; press < presses; ++press) {
    await page.keyboard.press(press % 20 < 10 ? 'ArrowRight' : 'ArrowLeft')
    await page.waitForTimeout(60)
  }
  await page.waitForTimeout(300)
  const told = await page.evaluate(() => window.presses)
  return [...told, ...Array(Math.max(presses - told.length, 0)).fill(16)]
}

async function sliderTimes(site, quick) {
  const { url, close } = await serve(site)
  const chrome = await chromium.launch({ executablePath: (await browser()).trim(), args: flags.split(' ') })
  try {
    const page = await chrome.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(`${url}${slider.query}`)
    await page.getByText('Computed by').waitFor()
    const input = page.getByRole('slider', { name: slider.label })
    await eventToFrame(input, 30) // the warm-up
    const frame = spread(await eventToFrame(input, quick ? 60 : 300))
    const key = spread(await keyToScreen(page, input, quick ? 40 : 120))
    return { frame, key }
  } finally {
    await chrome.close()
    await close()
  }
}

export const page = {
  slow: true,
  title: `The page in Chromium: a slider at T 64, 8 heads; ${large.rows} tokens at once`,

  async run({ quick }) {
    await buildSite()
    const site = join(root, 'dist/site')
    const slid = await sliderTimes(site, quick)
    const first = []
    for (let round = 0; round < (quick ? 3 : 7); ++round) first.push(await firstUse(site, large))
    return {
      ...slid,
      interactive: summary(first.map(({ interactive }) => interactive)),
      longest: summary(first.map(({ longest }) => longest)),
    }
  },

  show({ frame, key, interactive, longest }) {
    const row = (name, { median, p95, best }) => [
      name,
      ...[median, p95, best].map((value) => (value === undefined ? '' : milliseconds(value))),
    ]
    return table(
      ['', 'median ms', 'p95', 'best'],
      [
        row('slider event to painted frame', frame),
        row('key press to screen (Event Timing)', key),
        row('512 tokens: interactive', interactive),
        row('512 tokens: longest task', longest),
      ],
    )
  },
}
