// The widget in other people's pages: as a module under a strict content policy, and
// as a frame. What is looked at is text, whatever the elements are that hold it.

import type { Frame, Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { differences } from './support/pictures.ts'
import { useCourse } from './support/site.ts'
import { textOf } from './support/text.ts'

const open = useCourse()

const widget = '<attention-playground></attention-playground>'
const script = '<script type="module" src="./widget.js"></script>'

/** Waits until the six tokens' weights, second row 0.368 and 0.632, can be read in a widget. */
async function weightsIn(page: Page | Frame, index = 0) {
  const element = page.locator('attention-playground').nth(index)
  await expect.poll(() => textOf(element), { timeout: 20_000 }).toMatch(/0\.368.*0\.632/)
}

test('two widgets on a bare page of a strict site work, and load nothing from elsewhere', async () => {
  const page = await open({ head: script, body: `<h1>A lesson</h1>${widget}<p>And another</p>${widget}` })
  await weightsIn(page, 0)
  await weightsIn(page, 1)
})

for (const sandbox of ['', ' sandbox="allow-scripts"']) {
  test(`lms-strip: a frame of another origin works${sandbox}`, async () => {
    const requests: string[] = []
    const page = await open({
      body: `<iframe src="${inject('site')}embed.html" title="Attention" width="1000" height="900"${sandbox}></iframe>`,
      tolerated: /Download is disallowed/,
      before: async (page) => {
        page.on('request', (request) => requests.push(request.url()))
      },
    })
    const frame = await page.locator('iframe').elementHandle()
    const content = await frame?.contentFrame()
    expect(content).toBeTruthy()
    await weightsIn(content as Frame)
    expect(await (content as Frame).evaluate(() => globalThis.origin === 'null')).toBe(sandbox !== '')
    expect(requests.filter((url) => /attention-(relaxed|simd)/.test(url)).length, 'one build is loaded').toBe(1)
    expect(requests.filter((url) => url.endsWith('.wasm'))).toEqual([])

    // A frame may not use the clipboard: the address for a frame of this state stands there to be taken.
    const inside = content as Frame
    await inside.getByRole('slider', { name: 'Query heads', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    await inside.getByRole('button', { name: 'Copy link', exact: true }).click()
    const shared = inside.getByRole('textbox', { name: /did not let this be copied/ })
    expect(await shared.inputValue()).toBe(`${inject('site')}embed.html?h=2`)

    // Without allow-downloads the browser saves nothing, and says so to nobody.
    if (sandbox !== '') {
      await inside.getByRole('button', { name: 'Export', exact: true }).click()
      await inside.getByRole('button', { name: 'Stage as CSV', exact: true }).click()
      await inside.getByText(/does not allow it: its sandbox needs allow-downloads/).waitFor()
    }
  })
}

test('define-twice: a second copy of the script does no harm', async () => {
  const again = '<script type="module" src="./widget.js?again"></script>'
  const page = await open({ head: script + again, body: widget + widget })
  await weightsIn(page, 0)
  await weightsIn(page, 1)
})

test('define-twice: another version is left out, and the console says so', async () => {
  const said: string[] = []
  const page = await open({
    head: script,
    body: widget,
    tolerated: /defined on this page already/,
    before: async (page) => {
      page.on('console', (message) => said.push(message.text()))
      await page.route('**/widget.js?other', async (route) => {
        const response = await route.fetch()
        const text = await response.text()
        await route.fulfill({ response, body: text.replaceAll(/(["'`])\d+\.\d+\.\d+\1/g, '"99.1.2"') })
      })
    },
  })
  await weightsIn(page)
  await page.evaluate(async () => {
    const element = document.createElement('script')
    element.type = 'module'
    element.src = './widget.js?other'
    await new Promise((resolve) => {
      element.onload = resolve
      document.head.append(element)
    })
  })
  await expect.poll(() => said.join()).toMatch(/by version \d+\.\d+\.\d+; version 99\.1\.2 is left out/)
  await page.evaluate(() => document.body.append(document.createElement('attention-playground')))
  await weightsIn(page, 1)
})

test('css-leak: neither does the host deform the widget nor the widget the host', async () => {
  const css = `table, td, button, canvas, input, h2, p { margin: 1em !important; opacity: .2 }
    body { letter-spacing: 3px; word-spacing: 1em; text-transform: uppercase; text-align: center; text-indent: 2em;
      font-style: italic; font-weight: 700; font-variant: small-caps; line-height: 3; white-space: pre; cursor: help;
      text-shadow: 2px 2px red; color: red; font-size: 30px; word-break: break-all }`
  const host = '<table id="own"><tr><td>1</td><td>2</td></tr></table><button id="press">Press</button>'
  const style = '<link rel="stylesheet" href="./host.css">'
  const files = { 'host.css': `#own, #press { color: teal }`, 'leak.css': css }
  const shot = (page: Page, what: string) => page.locator(what).screenshot({ animations: 'disabled' })

  const bare = await open({ head: style, body: host, files })
  const hostAlone = await shot(bare, '#own')
  const buttonAlone = await shot(bare, '#press')

  const plain = await open({ head: style + script, body: host + widget, files })
  await weightsIn(plain)
  expect(await differences(plain, hostAlone, await shot(plain, '#own')), 'the table of the host').toBe(0)
  expect(await differences(plain, buttonAlone, await shot(plain, '#press')), 'the button of the host').toBe(0)

  // The widget alone, so that both stand at the same place of the page.
  const without = await open({ head: script, body: widget })
  const leaky = '<link rel="stylesheet" href="./leak.css">'
  const within = await open({ head: leaky + script, body: widget, files })
  for (const page of [without, within]) {
    await weightsIn(page)
    await page.evaluate(() => document.fonts.ready)
  }
  const element = 'attention-playground'
  expect(await differences(within, await shot(without, element), await shot(within, element)), 'the widget').toBe(0)
})

test('many-widgets: thirty share one download of the WebAssembly, and the first stays drawn', async () => {
  const wasm: string[] = []
  const page = await open({
    head: script,
    body: widget.repeat(30),
    before: async (page) => {
      page.on('request', (request) => request.url().endsWith('.wasm') && wasm.push(request.url()))
    },
  })
  await weightsIn(page, 29)
  const first = page.locator('attention-playground').first()
  const before = await first.screenshot({ animations: 'disabled' })
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await page.evaluate(() => scrollTo(0, 0))
  await weightsIn(page, 0)
  expect(await differences(page, before, await first.screenshot({ animations: 'disabled' }))).toBe(0)
  expect(wasm.length).toBe(1)
})

test('spa-and-move: a widget that is moved fifty times keeps its settings and one set of listeners', async () => {
  const page = await open({ head: script, body: `${widget}<main></main>` })
  await weightsIn(page)
  const slider = page.locator('attention-playground input[type=range]').first()
  const value = () => slider.inputValue()
  const start = Number(await value())
  await slider.press('ArrowLeft')
  const changed = Number(await value())
  expect(changed).not.toBe(start)
  // Rules that are off follow once the controls rest.
  await expect.poll(() => textOf(page.locator('attention-playground'))).toContain('query - key < 5 &&')
  const text = await textOf(page.locator('attention-playground'))

  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  const count = async () => {
    await devtools.send('HeapProfiler.collectGarbage')
    const { metrics } = await devtools.send('Performance.getMetrics')
    const of = (name: string) => metrics.find((metric) => metric.name === name)?.value as number
    return { listeners: of('JSEventListeners'), nodes: of('Nodes') }
  }
  const move = (times: number) =>
    page.evaluate(async (times) => {
      const element = document.querySelector('attention-playground') as HTMLElement
      for (let time = 0; time < times; ++time) {
        element.remove()
        await new Promise(requestAnimationFrame)
        document.querySelector(time % 2 ? 'body' : 'main')?.append(element)
        await new Promise(requestAnimationFrame)
      }
    }, times)

  await move(5)
  const before = await count()
  await move(50)
  const after = await count()
  expect(after.listeners, 'listeners').toBe(before.listeners)
  expect(after.nodes, 'nodes').toBeLessThanOrEqual(before.nodes + 50)
  expect(Number(await value())).toBe(changed)
  expect(await textOf(page.locator('attention-playground'))).toBe(text)
  await slider.press('ArrowRight')
  expect(Number(await value()), 'one step for one key').toBe(start)
  await weightsIn(page)
})

test('spa-and-move: widgets that are gone leave nothing behind', async () => {
  const page = await open({ head: script, body: widget })
  await weightsIn(page)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  const nodes = async () => {
    await devtools.send('HeapProfiler.collectGarbage')
    const { metrics } = await devtools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'Nodes')?.value as number
  }
  const visit = () =>
    page.evaluate(async () => {
      for (let time = 0; time < 10; ++time) {
        const element = document.createElement('attention-playground')
        document.body.append(element)
        await new Promise((resolve) => setTimeout(resolve, 50))
        element.remove()
      }
    })
  await visit()
  const before = await nodes()
  await visit()
  // Ten that stayed would be tens of thousands of nodes, for good; the last of them may
  // be held until its frame is over.
  await expect.poll(nodes).toBeLessThan(before + 300)
})

test('a core that does not come is said; the element asks again when it comes back to the page', async () => {
  const page = await open({
    head: script,
    body: widget,
    fails: true,
    before: (page) => page.route('**/*.wasm', (route) => route.abort()),
  })
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/could not be loaded/)
  await page.unroute('**/*.wasm')
  await page.evaluate(() => {
    const element = document.querySelector('attention-playground') as HTMLElement
    element.remove()
    document.body.append(element)
  })
  await weightsIn(page)
})
