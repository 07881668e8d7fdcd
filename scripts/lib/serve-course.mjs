// For the browser tests of the widget in other people's pages: serves a course site
// that holds a copy of what a person copies there, widget.js and the folder beside
// it. A test file gets the site by `inject('course')`, and writes pages into it.

import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'
import { serve } from './serve.mjs'

export async function setup(project) {
  const folder = join(root, 'build/course')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of ['widget.js', 'widget']) {
    cpSync(join(root, 'dist/lib', name), join(folder, name), { recursive: true })
  }
  cpSync(join(root, 'web/public/icon.svg'), join(folder, 'icon.svg'))
  const { url, close } = await serve(folder, { prefix: '/courses/2026/' })
  project.provide('course', { url, folder })
  return close
}
