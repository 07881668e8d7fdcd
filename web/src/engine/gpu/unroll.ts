// Writes out the loops of a kernel that are marked `/* unroll */`.
//
// An array whose every index is a number stays in registers; one that is indexed by a
// variable need not, and WGSL has no way to ask for a loop to be unrolled. A marked loop
// counts from 0 to a constant that the text declares:
//
//   const EACH = 4u;  // or the quotient of two others, const LOADS = KEYS / LANES;
//   /* unroll */ for (var r = 0u; r < EACH; r++) { sums[r] *= shrink[r]; }
//
// It becomes { sums[0u] *= shrink[0u]; } { sums[1u] *= shrink[1u]; } … Left alone it
// would mean the same. Written out here and not in the build, so that the text stays
// short on its way to a browser.

const marked = /\/\* unroll \*\/ for \(var (\w+) = 0u; \1 < (\w+); \1\+\+\) \{/

/** `code` with its marked loops written out; bounds are constants that it declares. */
export function unroll(code: string): string {
  const constants = new Map<string | undefined, number>()
  const numberOf = (text: string) =>
    (/^\d+u$/.test(text) ? Number.parseInt(text, 10) : constants.get(text)) ?? Number.NaN
  for (const [, name, value = '', divisor = '1u'] of code.matchAll(/^const (\w+) = (\w+)(?: \/ (\w+))?;/gm)) {
    constants.set(name, numberOf(value) / numberOf(divisor))
  }
  return expand(code, constants)
}

function expand(code: string, constants: ReadonlyMap<string | undefined, number>): string {
  const loop = marked.exec(code)
  if (!loop) {
    if (code.includes('/* unroll */')) throw new Error('A marked loop does not count from 0 to a constant.')
    return code
  }
  const [head, index, bound] = loop
  const count = constants.get(bound)
  if (count === undefined || !Number.isInteger(count)) throw new Error(`A loop ends at ${bound}, which is no constant.`)
  const from = loop.index + head.length
  const end = endOfBlock(code, from)
  const body = expand(code.slice(from, end), constants)
  const indices = RegExp(`\\b${index}\\b`, 'g')
  const copies = Array.from({ length: count }, (_, i) => `{${body.replace(indices, `${i}u`)}}`)
  return code.slice(0, loop.index) + copies.join(' ') + expand(code.slice(end + 1), constants)
}

/** Where the block ends whose inside begins at `from`: the place of its brace. */
function endOfBlock(code: string, from: number): number {
  let depth = 1
  for (let at = from; at < code.length; at++) {
    if (code[at] === '{') depth++
    if (code[at] === '}' && --depth === 0) return at
  }
  throw new Error('A loop has no end.')
}
