// For the browser tests of single elements: builds tests/browser/harness, a page that
// is no part of the site, and serves it. A test file gets its address by
// `inject('harness')`.

import { join } from 'node:path'
import { npmProgram } from '../build.mjs'
import { root } from './run.mjs'
import { serve } from './serve.mjs'

export async function setup(project) {
  // Vitest's own NODE_ENV would make it a build for developers.
  const env = { NODE_ENV: 'production' }
  await npmProgram('vite', 'vite/bin/vite.js', ['build', 'tests/browser/harness', '--logLevel', 'error'], { env })
  const { url, close } = await serve(join(root, 'build/harness'))
  project.provide('harness', url)
  return close
}
