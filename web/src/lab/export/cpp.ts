// A layer as a C++17 program of one file that needs nothing but the standard
// library: plain loops, a stage after the other, and the visibility rules as one
// function.

import type { Layer } from '../../engine/index.ts'
import type { Labels } from './csv.ts'
import { shortest } from './numbers.ts'
import { type Broadcast, commented, type Floats, type Positions, type Program, programOf } from './program.ts'

/** The text of a program that prints a line for each row of the output. `labels` name the tokens along T and S. */
export function cpp(layer: Layer, labels: Labels = {}): string {
  const program = programOf(layer)
  const { B, Hq, Hkv, T, S, D, Dv, M, N } = program.sizes
  const { softcap, bias } = program
  const tokens = program.context ? 'context' : 'x'
  // Steps that stand in the loop over keys only if the layer takes them.
  const indent = ' '.repeat(20)
  const skip = program.hides ? `if (!visible(b, h, i, j)) continue;\n${indent}` : ''
  const most = softcap === undefined ? '' : literal(Math.fround(softcap))
  const cap = softcap === undefined ? '' : `\n${indent}weights[j] = ${most} * std::tanh(weights[j] / ${most});`
  const add = bias ? `\n${indent}weights[j] += bias[${offset(bias)}];` : ''
  const parts = [
    `#include <cmath>
#include <cstdio>
#include <vector>

constexpr int B = ${B};  // batch
constexpr int T = ${T}, S = ${S};  // queries, keys
constexpr int Hq = ${Hq}, Hkv = ${Hkv};  // query heads, KV heads
constexpr int D = ${D}, Dv = ${Dv};  // head dim, value dim
constexpr int M = ${M}, N = ${N};  // features of a token, of the output

using Values = std::vector<float>;
`,
    floats('x', '[B, T, M]', program.x, M, labels.T),
    program.context && floats('context', '[B, S, M]', program.context, M, labels.S),
    floats('Wq', '[Hq * D, M]', program.wq, M),
    floats('Wk', '[Hkv * D, M]', program.wk, M),
    floats('Wv', '[Hkv * Dv, M]', program.wv, M),
    floats('Wo', '[N, Hq * Dv]', program.wo, Hq * Dv),
    bias && floats('bias', axesOf(bias), bias.values, bias.shape[3]),
    program.allowed && picture(program.allowed),
    program.queryPositions && positions('query_positions', 'T', program.queryPositions, T),
    program.keyPositions && positions('key_positions', 'S', program.keyPositions, S),
    visibility(program),
    `
// y = x W^T: x [rows, in], W [out, in], y [rows, out].
Values project(const Values& x, const Values& w, int rows, int in, int out) {
    Values y(rows * out);
    for (int row = 0; row < rows; ++row) {
        for (int o = 0; o < out; ++o) {
            float sum = 0;
            for (int i = 0; i < in; ++i) sum += x[row * in + i] * w[o * in + i];
            y[row * out + o] = sum;
        }
    }
    return y;
}

int main() {
    const float scale = ${program.scale === undefined ? '1 / std::sqrt(float(D))' : literal(Math.fround(program.scale))};
    const Values q = project(x, Wq, B * T, M, Hq * D);    // [B, T, Hq * D]
    const Values k = project(${tokens}, Wk, B * S, M, Hkv * D);   // [B, S, Hkv * D]
    const Values v = project(${tokens}, Wv, B * S, M, Hkv * Dv);  // [B, S, Hkv * Dv]
    Values mixed(B * T * Hq * Dv);                        // [B, T, Hq * Dv]

    for (int b = 0; b < B; ++b) {
        for (int h = 0; h < Hq; ++h) {
            const int kv_head = h / (Hq / Hkv);
            for (int i = 0; i < T; ++i) {
                // The scores of query i, and the largest of them.
                Values weights(S);
                float largest = -INFINITY;
                for (int j = 0; j < S; ++j) {
                    ${skip}float dot = 0;
                    for (int d = 0; d < D; ++d) {
                        dot += q[((b * T + i) * Hq + h) * D + d] * k[((b * S + j) * Hkv + kv_head) * D + d];
                    }
                    weights[j] = scale * dot;${cap}${add}
                    largest = std::fmax(largest, weights[j]);
                }
                // Softmax. A query that sees no key keeps its zeros.
                float sum = 0;
                for (int j = 0; j < S; ++j) {
                    ${skip}weights[j] = std::exp(weights[j] - largest);
                    sum += weights[j];
                }
                for (int j = 0; j < S; ++j) {
                    ${skip}for (int d = 0; d < Dv; ++d) {
                        mixed[((b * T + i) * Hq + h) * Dv + d] +=
                            weights[j] / sum * v[((b * S + j) * Hkv + kv_head) * Dv + d];
                    }
                }
            }
        }
    }

    const Values output = project(mixed, Wo, B * T, Hq * Dv, N);  // [B, T, N]
    for (int row = 0; row < B * T; ++row) {
        for (int n = 0; n < N; ++n) std::printf(n == 0 ? "%.9g" : " %.9g", output[row * N + n]);
        std::printf("\\n");
    }
}
`,
  ]
  return parts.filter((part) => part !== undefined).join('')
}

/** The function that says which query sees which key; nothing if no rule hides any. */
function visibility(program: Program): string | undefined {
  const { left, right, queryPositions, keyPositions, allowed, bias } = program
  if (!program.hides) return undefined
  const rules: string[] = []
  if (program.causal) rules.push('key <= query')
  if (left !== undefined) rules.push(`query - key <= ${left}`)
  if (right !== undefined) rules.push(`key - query <= ${right}`)
  const byPosition = rules.length > 0
  const lines: string[] = []
  if (byPosition) {
    const query = queryPositions
      ? `query_positions[${queryPositions.batch > 1 ? 'b * T + i' : 'i'}]`
      : 'S - T + i;  // the queries are the last T of the S positions'
    const key = keyPositions ? `key_positions[${keyPositions.batch > 1 ? 'b * S + j' : 'j'}]` : 'j'
    lines.push(`const int query = ${query.includes(';') ? query : `${query};`}`, `const int key = ${key};`)
  }
  if (allowed) rules.push(`allowed[${offset(allowed)}] == '1'`)
  if (bias?.values.includes(Number.NEGATIVE_INFINITY)) rules.push(`bias[${offset(bias)}] != -INFINITY`)
  lines.push(`return ${rules.join(' && ')};`)
  // Only what the rules read has a name: a compiler says so of the rest.
  const parameter = (name: string) => {
    const read = lines.some((line) => new RegExp(`\\b${name}\\b`).test(line.replace(/\/\/.*/, '')))
    return read ? `int ${name}` : `int /* ${name} */`
  }
  const parameters = ['b', 'h', 'i', 'j'].map(parameter).join(', ')
  return `
// Whether query i of batch item b and head h sees key j.
bool visible(${parameters}) {
    ${lines.join('\n    ')}
}
`
}

/** Where the value for (b, h, i, j) stands; an axis of 1 serves every index. */
function offset({ shape }: Broadcast<unknown>): string {
  const axes = ['b', 'h', 'i', 'j'].map((index, axis) => ({
    index,
    size: ['B', 'Hq', 'T', 'S'][axis],
    own: shape[axis],
  }))
  const read = axes.filter(({ own }) => own !== 1)
  return (
    read.reduce(
      (text, { index, size }) =>
        text === '' ? index : `${text.includes(' ') ? `(${text})` : text} * ${size} + ${index}`,
      '',
    ) || '0'
  )
}

const axesOf = ({ shape }: Broadcast<unknown>) =>
  `[${shape.map((size, axis) => (size === 1 ? '1' : ['B', 'Hq', 'T', 'S'][axis])).join(', ')}]`

function positions(name: string, count: string, { values, batch }: Positions, size: number): string {
  const lines = Array.from(
    { length: batch },
    (_, row) => `    ${values.slice(row * size, (row + 1) * size).join(', ')},\n`,
  )
  return `\nconst std::vector<int> ${name} = {  // [${batch > 1 ? `B, ${count}` : count}]\n${lines.join('')}};\n`
}

/** Booleans as rows of 0 and 1. */
function picture(allowed: Broadcast<readonly boolean[]>): string {
  const columns = allowed.shape[3]
  const rows: string[] = []
  for (let at = 0; at < allowed.values.length; at += columns) {
    rows.push(
      `    "${allowed.values
        .slice(at, at + columns)
        .map((value) => (value ? '1' : '0'))
        .join('')}"\n`,
    )
  }
  return `
// ${axesOf(allowed)}, 1 where the query may attend.
const char allowed[] =
${rows.join('') || '    ""\n'}    ;
`
}

/** A tensor's values, a line for each row, with the token of the row behind it. */
function floats(name: string, shape: string, values: Floats, columns: number, tokens?: readonly string[]): string {
  const lines: string[] = []
  for (let at = 0; at < values.length; at += columns) {
    const row = at / columns
    const token = tokens && tokens.length > 0 ? `  // ${commented(tokens[row % tokens.length] as string)}` : ''
    lines.push(`    ${Array.from(values.subarray(at, at + columns), literal).join(', ')},${token}\n`)
  }
  return `\nconst Values ${name} = {  // ${shape}\n${lines.join('')}};\n`
}

function literal(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NAN' : value < 0 ? '-INFINITY' : 'INFINITY'
  const text = shortest(value)
  return /[.e]/.test(text) ? `${text}f` : `${text}.0f`
}
