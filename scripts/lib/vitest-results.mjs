// A reporter for Vitest: writes the results of a run (lib/results.mjs) to the file
// that RESULTS_FILE names, as JSON. Vitest's JUnit file lacks the reasons of skips.

import { writeFileSync } from 'node:fs'

export default class Results {
  onTestRunEnd(modules, unhandledErrors) {
    const results = []
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state, note, errors } = test.result()
        const name = `${module.relativeModuleId}: ${test.fullName}`
        if (state === 'failed') results.push({ name, failure: String(errors[0]?.message) })
        else if (state === 'passed') results.push({ name })
        else results.push({ name, skip: note ?? 'no reason given' })
      }
      // A file that could not be read, or whose hooks failed.
      for (const error of module.errors()) results.push({ name: module.relativeModuleId, failure: error.message })
    }
    for (const error of unhandledErrors) results.push({ name: 'outside of any test', failure: String(error.message) })
    writeFileSync(process.env.RESULTS_FILE, JSON.stringify(results))
  }
}
