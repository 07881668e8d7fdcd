// A Chromium whose WebGPU is SwiftShader's.

import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { serve } from '../../../scripts/lib/serve.mjs'

const flags =
  '--headless=new --no-sandbox --enable-unsafe-webgpu --use-webgpu-adapter=swiftshader --disable-background-networking ' +
  '--disable-component-update --disable-sync --no-first-run --disable-quic'

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROME_PATH ?? 'chromium', args: flags.split(' ') })

/** An empty page beside the built library, which lies at `url`. */
export async function openLibrary(): Promise<{ page: Page; url: string; close: () => Promise<void> }> {
  const { url, close } = await serve(join(import.meta.dirname, '../../../dist/lib'))
  const browser = await launch()
  const page = await browser.newPage()
  await page.route(`${url}page`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.goto(`${url}page`)
  return {
    page,
    url,
    close: async () => {
      await browser.close()
      await close()
    },
  }
}
