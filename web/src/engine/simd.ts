/** The WebAssembly instructions that a build is made of. */
export type Simd = 'relaxed' | 'simd'

// The smallest modules that use one instruction of each extension:
// (func (drop (i8x16.splat (i32.const 0)))) and, for relaxed SIMD,
// (func (drop (i8x16.relaxed_swizzle (v128.const i32x4 0 0 0 0) (v128.const …)))).
const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]
const voidFunction = [0x01, 0x04, 0x01, 0x60, 0x00, 0x00, 0x03, 0x02, 0x01, 0x00]
const zeroVector = [0xfd, 0x0c, ...new Array<number>(16).fill(0)]

const code = (instructions: number[]) => {
  const body = [0x00, ...instructions, 0x1a, 0x0b]
  return [0x0a, body.length + 2, 0x01, body.length, ...body]
}

const runs = (instructions: number[]) =>
  WebAssembly.validate(new Uint8Array([...header, ...voidFunction, ...code(instructions)]))

/** The best build that this machine can run; undefined if it can run none. */
export function supportedSimd(): Simd | undefined {
  if (typeof WebAssembly !== 'object') return undefined
  if (runs([...zeroVector, ...zeroVector, 0xfd, 0x80, 0x02])) return 'relaxed'
  if (runs([0x41, 0x00, 0xfd, 0x0f])) return 'simd'
  return undefined
}
