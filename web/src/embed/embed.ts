// The widget in a frame of its own, as one classic script. In a frame with
// sandbox="allow-scripts" a page has no origin, and to such a page servers without
// special headers give neither module scripts nor a .wasm file nor a worker; classic
// scripts they do give. So the WebAssembly comes as a script that holds its bytes,
// and everything is computed on this thread.

import { loadAttention } from '../engine/index.ts'
import type { Simd } from '../engine/simd.ts'
import { defineSelfLoading } from '../self-loading.ts'

// Only while the script runs for the first time does the document know which it is.
const here = (document.currentScript as HTMLScriptElement).src

/** What a script with WebAssembly calls with its bytes (web/vite.embed.ts). */
declare global {
  var attentionWasm: ((base64: string) => void) | undefined
}

const bytesOf = (simd: Simd) =>
  new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
    globalThis.attentionWasm = (base64) => resolve(Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)))
    const script = document.createElement('script')
    script.src = new URL(`attention-${simd}.js`, here).href
    script.onerror = () => reject(new Error(script.src))
    document.head.append(script)
  })

defineSelfLoading(() => loadAttention({ backend: 'wasm', workers: 0, wasm: bytesOf }))

const widget = document.querySelector('attention-playground')
// The frame's query string is what a shared link has behind its question mark; what is
// shared from here is another address for a frame.
if (widget) Object.assign(widget, { address: location.href.replace(/[?#].*/, ''), link: location.search })
