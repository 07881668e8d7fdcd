// A page that is opened for the first time, in a Chromium of its own that nobody drives: to
// a driver the browser reports each request with the lines of the script that made it, for
// which it reads the whole script once more, 50 ms or so in the longest task.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { serve } from '../lib/serve.mjs'
import { browser } from '../setup.mjs'

const flags = [
  ...['--headless=new', '--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  ...['--disable-sync', '--no-first-run', '--disable-quic', '--window-size=1440,900'],
]
/** The browser's own start is over by then. */
const startMs = 1500
/** A browser that has said nothing by then never will. */
const mostMs = 60_000

/**
 * When the site's page shows a table of `rows` rows, in milliseconds from its address on,
 * when the last long task was over that followed, and the longest task.
 */
export async function firstUse(site, { query, rows }) {
  const program = (await browser()).trim()
  let settle
  const report = new Promise((resolve, reject) => {
    settle = { resolve, reject }
  })
  const answers = {
    'first-use.html': (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(`<!doctype html><script>(${measure})(${JSON.stringify({ query, rows, startMs })})</script>`),
    'first-use.json': async (request, response) => {
      settle.resolve(JSON.parse(await text(request)))
      response.end()
    },
  }
  const { url, close } = await serve(site, { answers })
  const profile = mkdtempSync(join(tmpdir(), 'first-use-'))
  const args = [...flags, `--user-data-dir=${profile}`, `${url}first-use.html`]
  const chromium = spawn(program, args, { stdio: 'ignore', detached: true })
  const ended = new Promise((resolve) => {
    chromium.on('exit', resolve)
    chromium.on('error', (error) => resolve(settle.reject(error)))
  })
  ended.then(() => settle.reject(new Error('Chromium ended before it had shown the page.')))
  const late = setTimeout(() => settle.reject(new Error(`${query} was not shown in ${mostMs} ms.`)), mostMs)
  try {
    return await report
  } finally {
    clearTimeout(late)
    // The whole group: its helpers would go on writing the profile for a while.
    if (chromium.pid && chromium.exitCode === null) process.kill(-chromium.pid, 'SIGKILL')
    await ended
    await close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** In the browser: shows the page in a frame, whose tasks are those of this page too. */
async function measure({ query, rows, startMs }) {
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const deep = (root, selector) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.matches(selector)) return element
      const inside = element.shadowRoot && deep(element.shadowRoot, selector)
      if (inside) return inside
    }
    return undefined
  }
  const tasks = []
  new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: 'longtask' })
  await pause(startMs)
  const frame = document.createElement('iframe')
  frame.width = '1440'
  frame.height = '900'
  frame.src = `./${query}`
  const start = performance.now()
  document.body.append(frame)
  while (!deep(frame.contentDocument, `table[aria-rowcount="${rows + 1}"]`)) await pause(20)
  const shown = performance.now()
  await pause(1500)
  const own = tasks.filter(({ startTime }) => startTime >= start)
  const ends = own.map(({ startTime, duration }) => startTime + duration)
  const found = {
    interactive: Math.max(shown, ...ends) - start,
    longest: Math.max(0, ...own.map(({ duration }) => duration)),
  }
  navigator.sendBeacon('./first-use.json', JSON.stringify(found))
}
