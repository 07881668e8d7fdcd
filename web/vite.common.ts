// What the three builds of the widget have in common: the site, the module for other
// pages, and the script of the frame.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UserConfig } from 'vite'
import { firstAnswers } from './vite.first-answers.ts'
import { formulas } from './vite.formulas.ts'

const root = import.meta.dirname
const manifest = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8'))

export const common = {
  root,
  base: './',
  cacheDir: '../node_modules/.vite',
  plugins: [firstAnswers, formulas],
  define: { widgetVersion: JSON.stringify(manifest.version) },
} satisfies UserConfig

export const buildCommon = {
  target: 'es2022',
  // A polyfill would be an inline script, and data: addresses would need a
  // wider content policy than 'self'.
  modulePreload: { polyfill: false },
  assetsInlineLimit: 0,
} satisfies UserConfig['build']

export const bundling = {
  /** Node's own; the WebAssembly loader imports it only there. */
  external: ['module'],
  // The core's first answers take most of a build's time, as they must.
  checks: { pluginTimings: false },
}
