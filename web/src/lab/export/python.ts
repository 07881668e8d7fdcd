// A layer as a program in NumPy or PyTorch. Both are written by the same lines, with
// the few words in which they differ taken from a table, so that what is run in one
// says something about the other. A line for each stage, by the stage's name, with
// its shape; axes of one head or one batch item are left out, and so are the steps
// that the layer does not take.

import type { Layer } from '../../engine/index.ts'
import type { Labels } from './csv.ts'
import { shortest } from './numbers.ts'
import { type Broadcast, commented, type Floats, type Positions, type Program, programOf } from './program.ts'

/** What one library calls what the other calls otherwise. */
interface Dialect {
  readonly importLine: string
  readonly library: string
  readonly array: string
  readonly float32: string
  readonly bool: string
  readonly along: string
  readonly max: string
  readonly repeat: (count: string) => string
}

const numpyDialect: Dialect = {
  importLine: 'import numpy as np',
  library: 'np',
  array: 'np.array',
  float32: 'np.float32',
  bool: 'bool',
  along: 'axis=-1, keepdims=True',
  max: 'max',
  repeat: (count) => `.repeat(${count}, axis=-3)`,
}

const pytorchDialect: Dialect = {
  importLine: 'import torch',
  library: 'torch',
  array: 'torch.tensor',
  float32: 'torch.float32',
  bool: 'torch.bool',
  along: 'dim=-1, keepdim=True',
  max: 'amax',
  repeat: (count) => `.repeat_interleave(${count}, dim=-3)`,
}

/** The text of a Python 3 program that prints the layer's output. `labels` name the tokens along T and S. */
export const numpy = (layer: Layer, labels: Labels = {}) => python(numpyDialect, programOf(layer), labels)
export const pytorch = (layer: Layer, labels: Labels = {}) => python(pytorchDialect, programOf(layer), labels)

function python(dialect: Dialect, program: Program, labels: Labels): string {
  const { library } = dialect
  const { B, Hq, Hkv, T, S, D, Dv, M, N } = program.sizes
  const lines: string[] = []
  const say = (code: string, comment?: string) => lines.push(comment ? `${code}  # ${comment}` : code)
  const gap = () => lines.push('')
  /** A shape as a comment, and as the arguments of a reshape. */
  const present = (axes: readonly string[]) =>
    axes.filter((axis) => !(axis === 'B' && B === 1) && !(axis.startsWith('H') && Hq === 1))
  const shape = (...axes: string[]) => `[${present(axes).join(', ')}]`
  const sizes = (...axes: string[]) => present(axes).join(', ')
  const headed = (letter: string, heads: 'Hq' | 'Hkv') => (Hq > 1 ? `${heads} * ${letter}` : letter)
  const transposed = (name: string) => (B * Hq > 1 ? `${name}.swapaxes(-1, -2)` : `${name}.T`)

  say(dialect.importLine)
  gap()
  if (B > 1) say(`B = ${B}`, 'batch')
  say(`T, S = ${T}, ${S}`, 'queries, keys')
  if (Hq > 1) say(`Hq, Hkv = ${Hq}, ${Hkv}`, 'query heads, KV heads')
  say(`D, Dv = ${D}, ${Dv}`, 'head dim, value dim')
  say(`M, N = ${M}, ${N}`, 'features of a token, of the output')
  gap()

  const batched = (count: number) => (B > 1 ? [B, count, M] : [count, M])
  say(`x = ${floats(dialect, program.x, batched(T), labels.T)}`, shape('B', 'T', 'M'))
  if (program.context) {
    say(`context = ${floats(dialect, program.context, batched(S), labels.S)}`, shape('B', 'S', 'M'))
  }
  say(`Wq = ${floats(dialect, program.wq, [Hq * D, M])}`, `[${headed('D', 'Hq')}, M]`)
  say(`Wk = ${floats(dialect, program.wk, [Hkv * D, M])}`, `[${headed('D', 'Hkv')}, M]`)
  say(`Wv = ${floats(dialect, program.wv, [Hkv * Dv, M])}`, `[${headed('Dv', 'Hkv')}, M]`)
  say(`Wo = ${floats(dialect, program.wo, [N, Hq * Dv])}`, `[N, ${headed('Dv', 'Hq')}]`)
  if (program.scale === undefined) say('scale = D**-0.5', '1 / √D')
  else say(`scale = ${number(program.scale)}`)
  if (program.softcap !== undefined) say(`softcap = ${number(program.softcap)}`)
  gap()

  const tokens = program.context ? 'context' : 'x'
  say('q = x @ Wq.T', shape('B', 'T', headed('D', 'Hq')))
  say(`k = ${tokens} @ Wk.T`, shape('B', 'S', headed('D', 'Hkv')))
  say(`v = ${tokens} @ Wv.T`, shape('B', 'S', headed('Dv', 'Hkv')))
  if (Hq > 1) {
    gap()
    say('# Each head takes its own D of the features; no value moves.')
    say(`q = q.reshape(${sizes('B', 'T', 'Hq', 'D')}).swapaxes(-3, -2)`, shape('B', 'Hq', 'T', 'D'))
    say(`k = k.reshape(${sizes('B', 'S', 'Hkv', 'D')}).swapaxes(-3, -2)`, shape('B', 'Hkv', 'S', 'D'))
    say(`v = v.reshape(${sizes('B', 'S', 'Hkv', 'Dv')}).swapaxes(-3, -2)`, shape('B', 'Hkv', 'S', 'Dv'))
  }
  if (Hkv < Hq) {
    say('# Query head h reads KV head h // (Hq // Hkv).')
    say(`k = k${dialect.repeat('Hq // Hkv')}`, shape('B', 'Hq', 'S', 'D'))
    say(`v = v${dialect.repeat('Hq // Hkv')}`, shape('B', 'Hq', 'S', 'Dv'))
  }
  gap()

  const pairs = shape('B', 'Hq', 'T', 'S')
  let scores = 'scores'
  say(`dots = q @ ${transposed('k')}`, pairs)
  say('scores = scale * dots')
  if (program.softcap !== undefined) {
    say(`capped = softcap * ${library}.tanh(${scores} / softcap)`)
    scores = 'capped'
  }
  if (program.bias) {
    const bias = ofPairs(program.bias, B, Hq)
    say(`bias = ${floats(dialect, program.bias.values, bias.sizes)}`, bias.comment)
    say(`biased = ${scores} + bias`)
    scores = 'biased'
  }
  if (program.hides) {
    gap()
    visibility(say, dialect, program)
    say(`masked = ${library}.where(visible, ${scores}, -${library}.inf)`, pairs)
    scores = 'masked'
  }
  gap()

  const most = `${scores}.${dialect.max}(${dialect.along})`
  if (S === 0) {
    say(`weights = ${scores}`, 'there is no key to share out over')
  } else if (program.emptyRows) {
    say('# A query that sees no key gets zeros.')
    say(`sees = visible.any(${dialect.along})`)
    say(`exps = ${library}.exp(${scores} - ${library}.where(sees, ${most}, 0))`)
    say(`weights = exps / ${library}.where(sees, exps.sum(${dialect.along}), 1)`, pairs)
  } else {
    say(`exps = ${library}.exp(${scores} - ${most})`)
    say(`weights = exps / exps.sum(${dialect.along})`, `${pairs}, each row sums to 1`)
  }
  gap()

  if (program.nonFinite) {
    say('# A hidden value is not read: NaN or infinity times its weight of 0 would be NaN.')
    say(`shares = ${library}.where(visible[..., None], weights[..., None] * v[..., None, :, :], 0)`)
    say('mixed = shares.sum(-2)', shape('B', 'Hq', 'T', 'Dv'))
  } else {
    say('mixed = weights @ v', shape('B', 'Hq', 'T', 'Dv'))
  }
  if (Hq > 1) {
    const merged = `${sizes('B', 'T')}, Hq * Dv`
    say(`merged = mixed.swapaxes(-3, -2).reshape(${merged})`, `[${merged}]`)
  }
  say(`output = ${Hq > 1 ? 'merged' : 'mixed'} @ Wo.T`, shape('B', 'T', 'N'))
  say('print(output)')
  return `${lines.join('\n')}\n`
}

/** The lines that say which query sees which key, each rule by itself. */
function visibility(say: (code: string, comment?: string) => void, dialect: Dialect, program: Program) {
  const { library } = dialect
  const { B, Hq, T, S } = program.sizes
  const { left, right, queryPositions, keyPositions } = program
  const rules: [string, string][] = []
  if (program.causal) rules.push(['key_position <= query_position', 'causal: no later position'])
  if (left !== undefined) {
    const own = left === 0 ? 'its own key alone' : `the last ${left + 1} keys, its own among them`
    rules.push([`query_position - key_position <= ${left}`, own])
  }
  if (right !== undefined) rules.push([`key_position - query_position <= ${right}`, `at most ${right} positions ahead`])
  if (rules.length > 0) {
    if (queryPositions) {
      say(`query_position = ${positions(dialect, queryPositions, T)}${axis(queryPositions, Hq, ':, None')}`)
    } else if (S === T) {
      say(`query_position = ${library}.arange(T)[:, None]`)
    } else {
      say(`query_position = ${library}.arange(S - T, S)[:, None]`, 'the last T of the S positions')
    }
    if (keyPositions) say(`key_position = ${positions(dialect, keyPositions, S)}${axis(keyPositions, Hq, 'None, :')}`)
    else say(`key_position = ${library}.arange(S)[None, :]`)
  }
  if (program.allowed) {
    const allowed = ofPairs(program.allowed, B, Hq)
    const picture = pictureOf(dialect, program.allowed.values, allowed.sizes)
    say(`allowed = ${picture}`, `${allowed.comment}, 1 where the query may attend`)
    rules.push(['allowed', ''])
  }
  if (program.bias?.values.includes(Number.NEGATIVE_INFINITY)) {
    rules.push([`bias != -${library}.inf`, 'a bias of -∞ hides'])
  }
  rules.forEach(([rule, comment], index) => {
    const simple = /^\w+$/.test(rule) ? rule : `(${rule})`
    say(index === 0 ? `visible = ${rule}` : `visible = visible & ${simple}`, comment)
  })
}

/** The axes that are left of [B, Hq, T, S] when those of one head and one batch item go, and broadcast ones before them. */
function ofPairs({ shape }: Broadcast<unknown>, B: number, Hq: number) {
  const axes = (['B', 'Hq', 'T', 'S'] as const).map((letter, axis) => ({ letter, size: shape[axis] as number }))
  const present = axes.filter(({ letter }) => !(letter === 'B' && B === 1) && !(letter === 'Hq' && Hq === 1))
  while (present.length > 2 && present[0]?.size === 1) present.shift()
  return {
    sizes: present.map(({ size }) => size),
    comment: `[${present.map(({ letter, size }) => (size === 1 ? '1' : letter)).join(', ')}]`,
  }
}

/** The index that lines positions up with [B, Hq, T, S]. */
function axis({ batch }: Positions, Hq: number, last: string): string {
  if (batch === 1) return `[${last}]`
  return `[:, ${Hq > 1 ? 'None, ' : ''}${last}]`
}

function positions({ array }: Dialect, { values, batch }: Positions, count: number): string {
  const rows = Array.from({ length: batch }, (_, row) => `[${values.slice(row * count, (row + 1) * count).join(', ')}]`)
  return batch === 1 ? `${array}(${rows[0]})` : `${array}([${rows.join(', ')}])`
}

/** Booleans as a picture of rows of 0 and 1. */
function pictureOf({ array, library, bool }: Dialect, values: readonly boolean[], sizes: readonly number[]): string {
  const columns = sizes.at(-1) as number
  if (values.length === 0) return `${library}.ones((${sizes.join(', ')}), dtype=${bool})`
  const rows: string[] = []
  for (let at = 0; at < values.length; at += columns) {
    rows.push(
      values
        .slice(at, at + columns)
        .map((value) => (value ? '1' : '0'))
        .join(''),
    )
  }
  const shaped = sizes.length > 2 ? `.reshape(${sizes.join(', ')})` : ''
  return `${array}([[cell == "1" for cell in row] for row in """\n    ${rows.join('\n    ')}\n""".split()])${shaped}`
}

/** A tensor's values, a line for each row, with the token of the row behind it; `tokens` are those of all rows. */
function floats(dialect: Dialect, values: Floats, sizes: readonly number[], tokens?: readonly string[]): string {
  const { library, array, float32 } = dialect
  const shape = `(${sizes.join(', ')})`
  if (values.length === 0) return `${library}.zeros(${shape}, dtype=${float32})`
  const columns = sizes.at(-1) as number
  if (sizes.length === 2 && isIdentity(values, columns)) return `${library}.eye(${columns}, dtype=${float32})`
  if (values.every((value) => Object.is(value, 0))) return `${library}.zeros(${shape}, dtype=${float32})`
  const list = (axis: number, from: number, indent: string): string => {
    if (axis === sizes.length - 1) {
      return `${indent}[${Array.from(values.subarray(from, from + columns), (value) => literal(library, value)).join(', ')}],`
    }
    const count = sizes[axis] as number
    const stride = sizes.slice(axis + 1).reduce((product, size) => product * size, 1)
    const inner = Array.from({ length: count }, (_, index) => {
      const token = axis === sizes.length - 2 ? tokens?.[from / columns + index] : undefined
      const line = list(axis + 1, from + index * stride, `${indent}    `)
      return token === undefined ? line : `${line}  # ${commented(token)}`
    })
    return axis === 0 ? `[\n${inner.join('\n')}\n]` : `${indent}[\n${inner.join('\n')}\n${indent}],`
  }
  return `${array}(${list(0, 0, '')}, dtype=${float32})`
}

const isIdentity = (values: Floats, size: number) =>
  values.length === size * size && values.every((value, at) => Object.is(value, at % (size + 1) === 0 ? 1 : 0))

function literal(library: string, value: number): string {
  const text = shortest(value)
  if (text === '-0') return '-0.0'
  return Number.isFinite(value) ? text : text.replace(/nan|inf/, `${library}.$&`)
}

/** A number that is not float32 by itself. */
const number = (value: number) => (Object.is(value, -0) ? '-0.0' : String(value))
