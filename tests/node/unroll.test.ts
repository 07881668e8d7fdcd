// The loops that the GPU's kernels have written out.

import { expect, test } from 'vitest'
import { shaders } from '../../dist/lib/engine/generated/shaders.mjs'
import { unroll } from '../../dist/lib/engine/gpu/unroll.js'

test('a marked loop is its body, once for each index; another stays', () => {
  const code = `const N = 3u;
for (var i = 0u; i < N; i++) { other(i); }
/* unroll */ for (var i = 0u; i < N; i++) { first[i] = indices[i + 1u]; }
rest();`
  expect(unroll(code)).toBe(`const N = 3u;
for (var i = 0u; i < N; i++) { other(i); }
{ first[0u] = indices[0u + 1u]; } { first[1u] = indices[1u + 1u]; } { first[2u] = indices[2u + 1u]; }
rest();`)
})

test('loops lie within loops', () => {
  const code = `const M = 2u;
const N = 2u;
/* unroll */ for (var i = 0u; i < M; i++) {/* unroll */ for (var j = 0u; j < N; j++) { if (x) { f(i, j); } }}`
  expect(unroll(code).split('\n').at(-1)).toBe(
    '{{ if (x) { f(0u, 0u); } } { if (x) { f(0u, 1u); } }} {{ if (x) { f(1u, 0u); } } { if (x) { f(1u, 1u); } }}',
  )
})

test('a bound may be a quotient of constants', () => {
  const code = `const KEYS = 32u;
const LANES = 16u;
const LOADS = KEYS / LANES;
/* unroll */ for (var n = 0u; n < LOADS; n++) { f(n); }`
  expect(unroll(code).split('\n').at(-1)).toBe('{ f(0u); } { f(1u); }')
  expect(() => unroll(code.replace('16u', '5u'))).toThrow(/ends at LOADS/)
  expect(() => unroll(code.replace('32u', '0x20u'))).toThrow(/ends at LOADS/)
})

test('a marked loop that cannot be written out is an error', () => {
  expect(() => unroll('/* unroll */ for (var i = 0u; i < N; i++) { f(i); }')).toThrow(/ends at N/)
  expect(() => unroll('/* unroll */ for (var i = 1u; i < 3u; i++) { f(i); }')).toThrow(/count from 0/)
  expect(() => unroll('const N = 2u;\n/* unroll */ for (var i = 0u; i < N; i++) { f(i);')).toThrow(/no end/)
})

test('no mark is left in the kernels', () => {
  const { uniforms, common, output, weights, ...rest } = shaders
  const constants = 'const EACH = 4u;\nconst CHUNKS = 2u;\nconst LANES = 8u;'
  for (const kernel of [output, weights]) {
    const code = unroll([constants, uniforms, common, ...Object.values(rest), kernel].join('\n'))
    expect(code).not.toContain('unroll')
  }
})
