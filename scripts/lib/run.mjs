// Running other programs from the checkout's root, and failing in one sentence.

import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A sentence for the person at the terminal; no stack trace is shown. */
export class Failure extends Error {}

export const say = (sentence) => console.error(`· ${sentence}`)

const log = new AsyncLocalStorage()

/** Does `work`; the programs that it runs write to an open file rather than to the terminal. */
export const logTo = (file, work) => log.run(file, work)

/**
 * Runs a program to its end. `allowed` holds the exit statuses that are no failure
 * besides 0; `output: 'text'` resolves to what the program printed.
 */
export function run(program, args = [], { output = 'shown', allowed = [], cwd = root, env = {} } = {}) {
  const terminal = log.getStore() ?? 'inherit'
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', output === 'shown' ? terminal : 'pipe', terminal],
    })
    let text = ''
    child.stdout?.on('data', (chunk) => (text += chunk))
    child.on('error', (error) => reject(new Failure(`${program} could not be started: ${error.message}.`)))
    child.on('close', (status, signal) => {
      if (status === 0 || allowed.includes(status)) resolve(output === 'shown' ? status : text.trim())
      else reject(new Failure(`${[program, ...args].join(' ')} ended with ${signal ?? `status ${status}`}.`))
    })
  })
}

/** Runs `work`, and ends the process with a sentence and status 1 if it fails. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0
  } catch (error) {
    console.error(error instanceof Failure ? error.message : error)
    process.exitCode = 1
  }
}

/** Whether the module at `url` is the program that Node was told to run. */
export const isProgram = (url) => realpathSync(process.argv[1]) === fileURLToPath(url)

/** Makes a step happen once, however many others need it. */
export const once = (step) => {
  let result
  return () => (result ??= step())
}
