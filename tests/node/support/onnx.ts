// The conformance cases of the ONNX Attention operator, as problems. They lie beside
// the project.

import { existsSync, readFileSync } from 'node:fs'
import type { Problem } from 'attention-playground'

const folder = new URL('../../../../shared/onnx-attention/', import.meta.url)

interface Tensor {
  dtype: 'f32' | 'u8' | 'i32'
  shape: number[]
  offset: number
  count: number
}

export interface Case {
  name: string
  attrs: Record<string, number>
  dims: Record<'B' | 'Hq' | 'Hkv' | 'T' | 'S' | 'P' | 'D' | 'Dv', number>
  q_pos0: number[]
  kv_len: number[]
  atol: number
  rtol: number
  inputs: Record<string, Tensor>
  outputs: Record<string, Tensor>
}

export function values(data: Buffer, tensor: Tensor): Float32Array | Uint8Array | Int32Array {
  const bytes = data.buffer.slice(data.byteOffset + tensor.offset)
  if (tensor.dtype === 'f32') return new Float32Array(bytes, 0, tensor.count)
  if (tensor.dtype === 'i32') return new Int32Array(bytes, 0, tensor.count)
  return new Uint8Array(bytes, 0, tensor.count)
}

/** [B, H, S, D] of a past and what comes after it, itself in either layout. */
function concatenated(
  past: ArrayLike<number> | undefined,
  now: ArrayLike<number>,
  rank: number,
  c: Case['dims'],
  dim: number,
) {
  const all = new Float32Array(c.B * c.Hkv * c.S * dim)
  const fresh = c.S - c.P
  for (let b = 0; b < c.B; b++) {
    for (let h = 0; h < c.Hkv; h++) {
      for (let s = 0; s < c.S; s++) {
        for (let d = 0; d < dim; d++) {
          const t = s - c.P
          const from = rank === 3 ? ((b * fresh + t) * c.Hkv + h) * dim + d : ((b * c.Hkv + h) * fresh + t) * dim + d
          all[((b * c.Hkv + h) * c.S + s) * dim + d] =
            t < 0 ? (past?.[((b * c.Hkv + h) * c.P + s) * dim + d] as number) : (now[from] as number)
        }
      }
    }
  }
  return all
}

/** A mask whose last axis is short is filled up, as the operator says. */
function padded(mask: ArrayLike<number>, shape: number[], keys: number, fill: number) {
  const last = shape.at(-1) ?? 1
  if (last === keys || last === 1) return { values: Array.from(mask), shape }
  const rows = mask.length / last
  const wide = Array.from({ length: rows * keys }, (_, i) => {
    const j = i % keys
    return j < last ? (mask[Math.floor(i / keys) * last + j] as number) : fill
  })
  return { values: wide, shape: [...shape.slice(0, -1), keys] }
}

export function problemOf(c: Case, data: Buffer): Problem {
  const get = (name: string) => {
    const tensor = c.inputs[name]
    return tensor && values(data, tensor)
  }
  const d = c.dims
  const rank = c.inputs.Q?.shape.length ?? 4
  const q = get('Q') as Float32Array
  const toHeads = (x: Float32Array) =>
    Float32Array.from(x, (_, i) => {
      const [feature, t, h, b] = [
        i % d.D,
        Math.floor(i / d.D) % d.T,
        Math.floor(i / d.D / d.T) % d.Hq,
        Math.floor(i / d.D / d.T / d.Hq),
      ]
      return x[((b * d.T + t) * d.Hq + h) * d.D + feature] as number
    })
  const { left_window_size: left = -1, right_window_size: right = -1 } = c.attrs
  const mask = c.inputs.attn_mask
  const isBoolean = mask?.dtype === 'u8'
  const filled = mask && padded(get('attn_mask') as Float32Array, mask.shape, d.S, isBoolean ? 0 : -Infinity)
  // Keys from kv_len on do not exist; the mask that the case does not use says so.
  const exists = (i: number) => i % d.S < (c.kv_len[Math.floor(i / d.S)] as number)
  const cached = <Value>(yes: Value, no: Value) => Array.from({ length: d.B * d.S }, (_, i) => (exists(i) ? yes : no))
  const masks = isBoolean
    ? { allowed: filled?.values, allowedShape: filled?.shape, bias: cached(0, -Infinity), biasShape: [d.B, 1, 1, d.S] }
    : { allowed: cached(1, 0), allowedShape: [d.B, 1, 1, d.S], bias: filled?.values, biasShape: filled?.shape }
  return {
    q: rank === 3 ? toHeads(q) : q,
    k: concatenated(get('past_key'), get('K') as Float32Array, rank, d, d.D),
    v: concatenated(get('past_value'), get('V') as Float32Array, rank, d, d.Dv),
    ...{ batch: d.B, queryHeads: d.Hq, kvHeads: d.Hkv, queries: d.T, keys: d.S, headDim: d.D, valueDim: d.Dv },
    causal: c.attrs.is_causal === 1,
    queryPositions: c.q_pos0.flatMap((first) => Array.from({ length: d.T }, (_, i) => first + i)),
    window: { left: left >= 0 ? left : undefined, right: right >= 0 ? right : undefined },
    scale: c.attrs.scale,
    softcap: c.attrs.softcap,
    ...masks,
  }
}

/** The case's output as [B, Hq, T, Dv]. */
export function expectedOutput(c: Case, data: Buffer): Float32Array {
  const tensor = c.outputs.Y as Tensor
  const y = values(data, tensor) as Float32Array
  if (tensor.shape.length === 4) return y
  const d = c.dims
  return Float32Array.from(y, (_, i) => {
    const [feature, t, h, b] = [
      i % d.Dv,
      Math.floor(i / d.Dv) % d.T,
      Math.floor(i / d.Dv / d.T) % d.Hq,
      Math.floor(i / d.Dv / d.T / d.Hq),
    ]
    return y[((b * d.T + t) * d.Hq + h) * d.Dv + feature] as number
  })
}

/** The cases and their tensors; undefined where they are not. */
export function readCases(): { cases: (Case & { origin: string })[]; data: Buffer } | undefined {
  if (!existsSync(folder)) return undefined
  const { cases } = JSON.parse(readFileSync(new URL('cases.json', folder), 'utf8'))
  return { cases, data: readFileSync(new URL('data.bin', folder)) }
}
