// Imported for its effect: relaxed SIMD, which Node 20 has behind a flag of V8 that
// later versions no longer know. It must come before any WebAssembly is compiled.

import { setFlagsFromString } from 'node:v8'

if (Number(process.versions.node.split('.')[0]) < 22) setFlagsFromString('--experimental-wasm-relaxed-simd')
