#!/usr/bin/env node
// The command line: reads the arguments, runs a command, prints one sentence and
// ends with status 2 if the input was wrong.

import { AttentionError } from '../engine/index.ts'
import { attend } from './attend.ts'
import { InputError } from './input-error.ts'
import { table } from './table.ts'

const commands: Record<string, { usage: string; says: string; run: (args: string[]) => Promise<string> }> = {
  table: { usage: 'table', says: 'causal attention weights of six tokens, row by row', run: table },
  attend: {
    usage: 'attend FILE.json',
    says: 'solve the problem in a file, or in the standard input with -, and print JSON',
    run: attend,
  },
}

/** What later versions bring; asking for it now gets a sentence. */
const later: Record<string, string> = {
  check: "compare your output with that of 'attend'",
  bench: "run 'npm run bench' in a checkout of the project",
}

const help = () => {
  const lines = Object.values(commands).map(({ usage, says }) => `  attention-playground ${usage.padEnd(18)}${says}`)
  return `Scaled dot-product attention, computed by the core that the playground shows.\n\n${lines.join('\n')}\n`
}

async function run([name, ...args]: string[]): Promise<string> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') return help()
  if (Object.hasOwn(later, name)) throw new InputError(`'${name}' is not part of this version; ${later[name]}.`)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    throw new InputError(`There is no command '${name}'; the commands are ${Object.keys(commands).join(' and ')}.`)
  }
  return command.run(args)
}

try {
  process.stdout.write(await run(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof AttentionError || error instanceof InputError)) throw error
  process.stderr.write(`attention-playground: ${error.message}\n`)
  process.exitCode = 2
}
