// Gives the widget the module 'virtual:first-answers': what the core, run here in
// Node, answers to the state that the widget begins with.

import { join } from 'node:path'
import { type Plugin, runnerImport } from 'vite'

const name = 'virtual:first-answers'
const source = join(import.meta.dirname, 'src/first-answers.ts')

export const firstAnswers: Plugin = {
  name: 'first-answers',
  resolveId: (id) => (id === name ? `\0${name}` : undefined),
  async load(id) {
    if (id !== `\0${name}`) return undefined
    const { module } = await runnerImport<typeof import('./src/first-answers.ts')>(source)
    return module.default
  },
}
