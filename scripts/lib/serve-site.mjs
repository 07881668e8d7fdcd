// For the browser tests: serves dist/site under a sub-path, as a course site would.
// A test file gets the page's address by `inject('site')`.

import { join } from 'node:path'
import { root } from './run.mjs'
import { serve } from './serve.mjs'

export async function setup(project) {
  const { url, close } = await serve(join(root, 'dist/site'), { prefix: '/a/course/attention/' })
  project.provide('site', url)
  return close
}
