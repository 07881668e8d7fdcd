// The built site in Chromium. Every page that a test opens is watched: at the end
// of the test there must have been no console error, no request to another origin
// and no violation of the content policy.

import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Response,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the built site (scripts/lib/serve-site.mjs). */
    site: string
  }
}

const flags =
  '--headless=new --no-sandbox --disable-background-networking --disable-component-update --disable-sync ' +
  '--no-first-run --disable-quic'

interface Options extends BrowserContextOptions {
  /** Runs before the page is loaded, to stand in its way. */
  before?: (page: Page) => Promise<unknown>
  /** Whether the page is to fail, and what the console says of it is no fault. */
  fails?: boolean
  /** What the console may say. */
  tolerated?: RegExp
}

/** Call at the top of a test file; what it returns opens the site, ready to be used. */
export function useSite() {
  let browser: Browser
  const contexts: BrowserContext[] = []
  let complaints: string[] = []

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: process.env.CHROME_PATH ?? 'chromium', args: flags.split(' ') })
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    const found = complaints
    complaints = []
    expect(found).toEqual([])
  })

  return async ({ before, fails = false, tolerated, ...options }: Options = {}): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
    contexts.push(context)
    const page = await context.newPage()
    const complain = (text: string) => {
      if (!fails && !tolerated?.test(text)) complaints.push(text)
    }
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complain(`console: ${message.text()}`)
    })
    page.on('pageerror', (error) => complain(`error: ${error.message}`))
    page.on('response', (response: Response) => {
      if (response.status() >= 400) complain(`${response.status()}: ${response.url()}`)
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(inject('site'))) complaints.push(`request to ${request.url()}`)
    })
    await page.exposeFunction('complainOfPolicy', (text: string) => complaints.push(`content policy: ${text}`))
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        const { complainOfPolicy } = window as unknown as { complainOfPolicy: (text: string) => void }
        complainOfPolicy(`${event.violatedDirective} ${event.blockedURI}`)
      })
    })
    await before?.(page)
    await page.goto(inject('site'))
    if (!fails) await page.locator('attention-card h2').waitFor()
    return page
  }
}
