// The built site in Chromium, and a course site that has a copy of the widget. Every
// page that a test opens is watched: at the end of the test there must have been no
// console error, no request to another origin and no violation of the content policy.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
    /** A folder that holds widget.js, and its address, of another origin (scripts/lib/serve-course.mjs). */
    course: { url: string; folder: string }
    /** The address of the page for single elements (scripts/lib/serve-harness.mjs). */
    harness: string
  }
}

const flags =
  '--headless=new --no-sandbox --disable-background-networking --disable-component-update --disable-sync ' +
  '--no-first-run --disable-quic'

interface Options extends BrowserContextOptions {
  /** The page; that of the site if absent. */
  address?: string
  /** Resolves when the page can be used. */
  ready?: (page: Page) => Promise<unknown>
  /** Runs before the page is loaded, to stand in its way. */
  before?: (page: Page) => Promise<unknown>
  /** Whether the page is to fail, and what the console says of it is no fault. */
  fails?: boolean
  /** What the console may say. */
  tolerated?: RegExp
}

/** Call at the top of a test file; what it returns makes a page that is watched. */
function usePages() {
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

  return async (origins: readonly string[], { before, fails = false, tolerated, ...options }: Options) => {
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
      if (!origins.some((origin) => request.url().startsWith(origin))) complaints.push(`request to ${request.url()}`)
    })
    await page.exposeFunction('complainOfPolicy', (text: string) => complaints.push(`content policy: ${text}`))
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        const { complainOfPolicy } = window as unknown as { complainOfPolicy: (text: string) => void }
        complainOfPolicy(`${event.violatedDirective} ${event.blockedURI}`)
      })
    })
    await before?.(page)
    return page
  }
}

/**
 * Call at the top of a test file; what it returns opens the site, ready to be used,
 * in the state that `query` describes.
 */
export function useSite() {
  const make = usePages()
  return async ({
    query = '',
    address = inject('site') + query,
    ready = (page) => page.getByText('Computed by').waitFor(),
    ...options
  }: Options & { query?: string } = {}): Promise<Page> => {
    const page = await make([address.replace(/\?.*/, '')], options)
    await page.goto(address)
    if (!options.fails) await ready(page)
    return page
  }
}

interface Lesson extends Options {
  /** What stands in <head> after the title. */
  head?: string
  body: string
  /** Further files of the lesson, by their names. */
  files?: Readonly<Record<string, string>>
}

/**
 * Call at the top of a test file; what it returns opens a page of the course site,
 * with the content policy of a strict one. The page may frame the site.
 */
export function useCourse() {
  const make = usePages()
  return async ({ head = '', body, files = {}, ...options }: Lesson): Promise<Page> => {
    const { url, folder } = inject('course')
    const policy =
      `default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; ` +
      `frame-src ${new URL(inject('site')).origin}`
    const meta = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">`
    const html = `<!doctype html><html lang="en"><head>${meta}<title>Lesson</title><link rel="icon" href="./icon.svg">${head}</head><body>${body}</body></html>`
    for (const [name, text] of Object.entries({ ...files, 'lesson.html': html }))
      writeFileSync(join(folder, name), text)
    const page = await make([url, inject('site')], options)
    await page.goto(`${url}lesson.html`)
    return page
  }
}
