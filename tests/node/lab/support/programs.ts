// Runs the programs and reads the files that the exports write, with tools that know
// nothing of this project: Python with NumPy, and a C++ compiler.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'

const script = (name: string) => fileURLToPath(new URL(`../../../../scripts/${name}`, import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))

/** A folder for the tests of a file, gone when they end. */
export function useFolder(): () => string {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'attention exports '))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return () => folder
}

let found: string | undefined

/** What Python prints; `scripts/test.mjs` says which one has NumPy, and so does scripts/python. */
export function python(args: readonly string[], env: Record<string, string> = {}): string {
  found ??= process.env.PYTHON_PATH || execFileSync(script('python'), { encoding: 'utf8' }).trim()
  return execFileSync(found, args, { encoding: 'utf8', env: { ...process.env, ...env } })
}

// Runs programs as they are, and gives what they printed and what `output` then holds.
// A warning is an error unless NaN is what the program is about: none may divide by
// the zero of an empty row.
const runner = `
import base64, contextlib, io, json, runpy, sys, warnings

def run(file):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore" if ".nan" in open(file, encoding="utf-8").read() else "error")
        output = runpy.run_path(file)["output"]
    values = base64.b64encode(output.astype("<f4").tobytes()).decode()
    return {"printed": printed.getvalue(), "dtype": str(output.dtype), "shape": output.shape, "values": values}

json.dump([run(file) for file in sys.argv[1:]], sys.stdout)
`

export interface Ran {
  readonly printed: string
  readonly dtype: string
  readonly shape: number[]
  readonly values: Float32Array
}

/** Runs Python programs in `folder`; their `torch` is a stand-in on NumPy (torch.py). */
export function runPython(folder: string, texts: readonly string[]): Ran[] {
  const files = texts.map((text, index) => {
    const file = join(folder, `${index}.py`)
    writeFileSync(file, text)
    return file
  })
  const all = JSON.parse(python(['-c', runner, ...files], { PYTHONPATH: here, PYTHONDONTWRITEBYTECODE: '1' }))
  return all.map((ran: { values: string }) => {
    const bytes = new Uint8Array(Buffer.from(ran.values, 'base64'))
    return { ...ran, values: new Float32Array(bytes.buffer) }
  })
}

/** Compiles C++ programs with all warnings as errors, runs them, and gives what each printed. */
export function runCpp(folder: string, texts: readonly string[]): Float32Array[] {
  const names = texts.map((text, index) => {
    writeFileSync(join(folder, `${index}.cpp`), text)
    return String(index)
  })
  // One call of the toolchain for all of them, two compilers at a time.
  const flags = '-std=c++17 -O1 -Wall -Wextra -Wpedantic -Werror'
  const one = `c++ ${flags} "$0/$1.cpp" -o "$0/$1" && "$0/$1" >"$0/$1.txt"`
  const all = `printf '%s\\n' "$@" | xargs -P 2 -n 1 sh -c '${one}' "$0"`
  execFileSync(script('toolchain'), ['sh', '-c', all, folder, ...names], { encoding: 'utf8' })
  const read = (word: string) => (/nan/.test(word) ? Number.NaN : Number(word.replace('inf', 'Infinity')))
  return names.map((name) => {
    const printed = readFileSync(join(folder, `${name}.txt`), 'utf8')
    return Float32Array.from(printed.split(/\s+/).filter(Boolean), read)
  })
}
