// The page on a machine with WebGPU: which engine computed what is shown, and the switch.

import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serve } from '../../scripts/lib/serve.mjs'
import { cells, choose, press } from '../browser/support/lab.ts'
import { launch } from './support/chromium.ts'

let browser: Browser
let site: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  site = await serve(join(import.meta.dirname, '../../dist/site'))
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})

const said = (page: Page) => page.locator('attention-playground .engine').textContent()

test('the weights by WebGPU: named, in the table, and back again', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${site.url}?s=8&h=2&view=one`)
  await expect.poll(() => said(page)).toMatch(/^\s*Computed by WebAssembly, [^;]*$/)
  const byWasm = await cells(page, 'Weights')
  await choose(page, 'Weights by', 'WebGPU')
  // SwiftShader compiles the kernel in seconds.
  await expect
    .poll(() => said(page), { timeout: 120_000 })
    .toMatch(/; weights by WebGPU \(.+\), which differ by at most \d+e[−+]\d+/)
  // The same to the digits that a table has: both keep the contract's bound.
  await expect.poll(() => cells(page, 'Weights')).toEqual(byWasm)
  expect(new URL(page.url()).search).toContain('by=webgpu')
  await press(page, 'Undo')
  await expect.poll(() => said(page)).not.toContain('WebGPU')
  await page.close()
})

test('an address that asks for WebGPU gets it', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${site.url}?by=webgpu`)
  await expect.poll(() => said(page), { timeout: 120_000 }).toContain('weights by WebGPU (')
  await page.close()
})

test('slider-race: sixty changes while WebGPU computes, and what stays is the last', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${site.url}?by=webgpu`)
  await expect.poll(() => said(page), { timeout: 120_000 }).toContain('weights by WebGPU (')
  const slider = page.getByRole('slider', { name: 'Tokens (keys S)' })
  await slider.evaluate(async (element: HTMLInputElement) => {
    for (let change = 0; change < 60; change++) {
      element.value = String(change === 59 ? 7 : 2 + (change % 20))
      element.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
  })
  await expect.poll(async () => (await cells(page, 'Weights')).length).toBe(7)
  // For other sizes other kernels are compiled.
  await expect.poll(() => said(page), { timeout: 120_000 }).toContain('weights by WebGPU (')
  const byGpu = await cells(page, 'Weights')
  await choose(page, 'Weights by', 'WebAssembly')
  await expect.poll(() => said(page)).not.toContain('WebGPU')
  expect(byGpu).toEqual(await cells(page, 'Weights'))
  await page.close()
})
