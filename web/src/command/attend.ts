import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { loadAttention, type Problem } from '../engine/index.ts'
import { InputError } from './input-error.ts'

// JSON has no such numbers; a problem may name them, and so may a result.
const named: Record<string, number> = { NaN: Number.NaN, Infinity: Infinity, '-Infinity': -Infinity }

/** Solves the problem in a JSON file; the fields are those of `attend()`. */
export async function attend(args: string[]): Promise<string> {
  const [file, ...rest] = args
  if (file === undefined || rest.length > 0) {
    throw new InputError(`attend takes one file, or - for the standard input, but was given ${args.length} arguments.`)
  }
  const problem = parse(file, await read(file))
  const attention = await loadAttention()
  const { output, shape } = await attention.attend(problem)
  return `${JSON.stringify({ shape, output: Array.from(output, jsonNumber) })}\n`
}

async function read(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw new InputError(`${file} can't be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`)
  }
}

function parse(file: string, content: string): Problem {
  try {
    return JSON.parse(content, (_, value: unknown) =>
      typeof value === 'string' && Object.hasOwn(named, value) ? named[value] : value,
    ) as Problem
  } catch (error) {
    throw new InputError(`${file} is not JSON: ${(error as Error).message}.`)
  }
}

const jsonNumber = (value: number) => (Number.isFinite(value) ? value : String(value))
