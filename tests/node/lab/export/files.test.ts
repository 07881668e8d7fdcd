// The exported files, read back by readers that know nothing of this project.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { csv } from '../../../../web/src/lab/export/csv.ts'
import { npy, npz } from '../../../../web/src/lab/export/npy.ts'
import { shortest } from '../../../../web/src/lab/export/numbers.ts'
import { layoutOf } from '../../../../web/src/lab/export/picture.ts'
import { svg } from '../../../../web/src/lab/export/svg.ts'
import { type Matrix, matrixOf, type Stage } from '../../../../web/src/lab/model/stage.ts'
import { python, useFolder } from '../support/programs.ts'

// Python takes as long as the machine has other things to do.
vi.setConfig({ testTimeout: 60_000 })
const folder = useFolder()

/** Queries of two batch items and two heads as they lie in [B, T, Hq * D]: strided. */
const q: Stage = {
  name: 'q',
  axes: ['B', 'Hq', 'T', 'D'],
  shape: [2, 2, 3, 2],
  strides: [12, 2, 4, 1],
  values: Float32Array.from({ length: 24 }, (_, index) => index / 3),
}
const dense = (shape: number[], values: ArrayLike<number>): Stage => ({
  name: 'weights',
  axes: (['B', 'Hq', 'T', 'S'] as const).slice(4 - shape.length),
  shape,
  strides: shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1)),
  values: Float32Array.from(values),
})
const at = (stage: Stage, index: readonly number[]) =>
  stage.values[index.reduce((sum, i, axis) => sum + i * (stage.strides[axis] as number), 0)]

const strange = [
  '<s>',
  '" onfocus="alert(1)',
  '=HYPERLINK("http://x")',
  '@a',
  '+1',
  '-1',
  '\t=1',
  'a,b',
  'two\nlines',
  'שלום',
  ' ',
]

test('shortest() round-trips every float32, in no more digits than needed', () => {
  const bits = new Uint32Array(1)
  const float = new Float32Array(bits.buffer)
  let state = 1
  for (let count = 0; count < 20_000; ++count) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bits[0] = state
    const value = float[0] as number
    if (!Number.isFinite(value)) continue
    const text = shortest(value)
    expect(Math.fround(Number(text)), text).toBe(value)
    expect(
      Number(text)
        .toExponential()
        .replace(/[-.]|e.*/g, '').length,
      text,
    ).toBeLessThanOrEqual(9)
  }
  expect([0.1, 0.43, 1, -0, 2 ** -149, 16777216, 3.4028234663852886e38].map(Math.fround).map(shortest)).toEqual([
    ...['0.1', '0.43', '1', '-0', '1e-45', '16777216', '3.4028235e+38'],
  ])
  expect([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(shortest)).toEqual(['nan', 'inf', '-inf'])
})

// Python's csv module gives the fields; what they should be is reckoned here by index.
const readCsv = `import csv, json, sys
print(json.dumps(list(csv.reader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True))))`

function parsed(text: string): string[][] {
  const file = join(folder(), 'stage.csv')
  writeFileSync(file, text)
  return JSON.parse(python(['-c', readCsv, file]))
}

test('CSV of a strided stage: leading axes, row, token, values', () => {
  const text = csv(q, { T: ['Your', 'journey', 'starts'] })
  expect(text.endsWith('\r\n')).toBe(true)
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  const [head, ...lines] = parsed(text)
  expect(head).toEqual(['B', 'Hq', 'T', 'token', '0', '1'])
  const expected = [0, 1].flatMap((b) =>
    [0, 1].flatMap((h) =>
      [0, 1, 2].map((t) => [
        ...[b, h, t].map(String),
        ['Your', 'journey', 'starts'][t],
        ...[0, 1].map((d) => shortest(at(q, [b, h, t, d]) as number)),
      ]),
    ),
  )
  expect(lines).toEqual(expected)
})

test('CSV of weights: columns of equal tokens stay apart, what is not finite has a name', () => {
  const stage = dense([2, 2], [Number.NEGATIVE_INFINITY, Number.NaN, 0.25, -0.5])
  expect(parsed(csv(stage, { T: ['the', 'the'], S: ['the', 'the'] }))).toEqual([
    ['T', 'token', '0 the', '1 the'],
    ['0', 'the', '-inf', 'nan'],
    ['1', 'the', '0.25', '-0.5'],
  ])
  expect(parsed(csv(stage))).toEqual([
    ['T', '0', '1'],
    ['0', '-inf', 'nan'],
    ['1', '0.25', '-0.5'],
  ])
})

test('token-html: tokens are whole in CSV, and none is a formula', () => {
  const rows = parsed(
    csv(
      dense(
        [strange.length, 1],
        strange.map(() => 0),
      ),
      { T: strange, S: ['=1'] },
    ),
  )
  expect(rows[0]?.at(-1)).toBe('0 =1')
  rows.slice(1).forEach(([, token], index) => {
    const whole = strange[index] as string
    expect(token?.replace(/^'/, '')).toBe(whole)
    expect(token).not.toMatch(/^\s*[=+\-@]|^[\t\r\n]/)
  })
})

const readNumpy = `import json, sys, numpy
loaded = numpy.load(sys.argv[1], allow_pickle=False)
arrays = {"": loaded} if isinstance(loaded, numpy.ndarray) else dict(loaded)
print(json.dumps({name: {"shape": a.shape, "type": a.dtype.str, "c": a.flags.c_contiguous, "bits": a.ravel().view("<u4").tolist()} for name, a in arrays.items()}))`

function loaded(name: string, content: Uint8Array): Record<string, unknown> {
  const file = join(folder(), name)
  writeFileSync(file, content)
  return JSON.parse(python(['-c', readNumpy, file]))
}

const bitsOf = (values: ArrayLike<number>) => [...new Uint32Array(Float32Array.from(values).buffer)]

test('NumPy reads .npy to the last bit', () => {
  const order = [0, 1].flatMap((b) =>
    [0, 1].flatMap((h) => [0, 1, 2].flatMap((t) => [0, 1].map((d) => at(q, [b, h, t, d]) as number))),
  )
  expect(loaded('q.npy', npy(q))).toEqual({ '': { shape: [2, 2, 3, 2], type: '<f4', c: true, bits: bitsOf(order) } })
  const odd = [-0, Number.NEGATIVE_INFINITY, 2 ** -149, 0.1]
  expect(loaded('odd.npy', npy(dense([4], odd)))).toEqual({
    '': { shape: [4], type: '<f4', c: true, bits: bitsOf(odd) },
  })
  expect(loaded('none.npy', npy(dense([0, 3], [])))).toMatchObject({ '': { shape: [0, 3], bits: [] } })
  expect(npy(dense([1], [0])).length).toBe(128 + 4)
})

test('the header of .npy ends at a multiple of 64 whatever the shape is', () => {
  for (let digits = 1; digits < 7; ++digits) {
    const size = 10 ** (digits - 1)
    const file = npy({ ...dense([size], new Float32Array(size)), shape: [1, size], strides: [size, 1] })
    const length = new DataView(file.buffer).getUint16(8, true)
    expect((10 + length) % 64, `shape [1, ${size}]`).toBe(0)
    expect(file[9 + length], 'the last byte of the header').toBe(10)
    expect(file.length).toBe(10 + length + 4 * size)
  }
})

test('NumPy reads .npz as arrays by the names of the stages', () => {
  const weights = dense([1, 2, 1, 3], [1, 2, 3, 4, 5, 6])
  const arrays = loaded('stages.npz', npz([q, weights]))
  expect(Object.keys(arrays)).toEqual(['q', 'weights'])
  expect(arrays.weights).toEqual({ shape: [1, 2, 1, 3], type: '<f4', c: true, bits: bitsOf(weights.values) })
  const testZip =
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), {i.compress_type for i in z.infolist()})'
  expect(python(['-c', testZip, join(folder(), 'stages.npz')]).trim()).toBe('None {0}')
})

const readSvg = `import json, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print(json.dumps([[e.tag.split("}")[1], "".join(e.itertext()), dict(e.attrib)] for e in root.iter()]))`

function drawn(text: string): [string, string, Record<string, string>][] {
  const file = join(folder(), 'matrix.svg')
  writeFileSync(file, text)
  return JSON.parse(python(['-c', readSvg, file]))
}

const picture = (rowLabels: string[], columnLabels: string[]) => ({
  ...{ title: 'Attention weights', rowLabels, columnLabels, ink: '#000', surface: '#fff', edge: '#ddd' },
  look: (value: number, hiddenBy: number) =>
    hiddenBy > 0
      ? { fill: '#eee', ink: '#888', text: '', struck: 0 }
      : { fill: `rgb(${Math.round(255 * value)} 0 0)`, ink: '#fff', text: value.toFixed(3) },
})

const alone = (matrix: Matrix) => [{ title: 'Attention weights', matrix }]

test('several matrices stand beside and below each other, each with its title and its sums', () => {
  const parts = [0, 1, 2].map((head) => ({
    title: `head ${head}`,
    matrix: matrixOf(dense([1, 3, 2, 2], [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]), [0, head]),
    sums: { title: 'sum', texts: () => [`${head}.0`, `${head}.1`] },
  }))
  const { title, shapes, width, height } = layoutOf(parts, picture(['a', 'b'], ['c', 'd']))
  expect(title).toBe('Attention weights')
  const texts = shapes.filter((shape) => shape.kind === 'text')
  const placeOf = (text: string) => {
    const { x, y } = texts.find((shape) => shape.text === text) ?? { x: Number.NaN, y: Number.NaN }
    expect(x).toBeLessThan(width)
    expect(y).toBeLessThan(height)
    return { x, y }
  }
  const [first, second, third] = [placeOf('head 0'), placeOf('head 1'), placeOf('head 2')]
  expect([second.y, third.x]).toEqual([first.y, first.x])
  expect(second.x).toBeGreaterThan(placeOf('0.0').x)
  expect(third.y).toBeGreaterThan(placeOf('0.1').y)
  expect(texts.filter(({ text }) => text === 'sum')).toHaveLength(3)
  expect(texts.filter(({ text }) => text === '1.000')).toHaveLength(6)
})

test('SVG of one matrix of a strided stage: every value in its place', () => {
  const elements = drawn(svg(layoutOf(alone(matrixOf(q, [1, 0])), picture(['a', 'b', 'c'], ['0', '1']))))
  const cells = elements.filter(([tag, , { fill }]) => tag === 'text' && fill === '#fff')
  const expected = [0, 1, 2].flatMap((t) => [0, 1].map((d) => at(q, [1, 0, t, d]) as number))
  expect(cells.map(([, text]) => text)).toEqual(expected.map((value) => value.toFixed(3)))
  const place = (index: number) => Number(cells[index]?.[2].x)
  expect(place(1)).toBeGreaterThan(place(0))
  expect(place(2)).toBe(place(0))
})

test('SVG strikes out hidden cells and leaves their value out', () => {
  const stage = { ...dense([2, 2], [1, 0, 0.5, 0.5]), hiddenBy: Uint8Array.of(0, 1, 0, 0) }
  const elements = drawn(svg(layoutOf(alone(matrixOf(stage, [])), picture(['a', 'b'], ['a', 'b']))))
  expect(elements.filter(([tag]) => tag === 'path').length).toBe(1)
  expect(elements.filter(([tag, text]) => tag === 'text' && text === '0.000').length).toBe(0)
})

test('a picture says what its colours and lines mean', () => {
  const legend = {
    ...{ from: '−1', to: '2', colours: ['#100', '#200', '#300'] },
    others: [{ look: { fill: '#eee', ink: '#888', text: '', struck: 5 }, text: 'hidden: a & b' }],
  }
  const look = { ...picture(['a'], ['b']), legend }
  const layout = layoutOf(alone(matrixOf(dense([1, 1], [1]), [])), look)
  const elements = drawn(svg(layout))
  expect(elements.filter(([tag]) => tag === 'text').map(([, text]) => text)).toEqual([
    'Attention weights',
    'b',
    'a',
    '1.000',
    '−1',
    '2',
    'hidden: a & b',
  ])
  const fills = elements.filter(([tag]) => tag === 'rect').map(([, , { fill }]) => fill)
  expect(fills.filter((fill) => legend.colours.includes(fill ?? ''))).toEqual(legend.colours)
  // A rule of the sixth place is crossed out by two lines, and nothing lies outside.
  expect(elements.filter(([tag]) => tag === 'path').map(([, , { d }]) => d?.match(/M/g)?.length)).toEqual([2])
  for (const [, , { x, y, width = '0', height = '0' }] of elements.slice(1)) {
    expect(Number(x ?? 0) + Number(width)).toBeLessThanOrEqual(layout.width)
    expect(Number(y ?? 0) + Number(height)).toBeLessThanOrEqual(layout.height)
  }
})

test('a large matrix has small cells without numbers, and as many labels as can be read', () => {
  const tokens = Array.from({ length: 200 }, (_, index) => `t${index}`)
  const { shapes, width, height } = layoutOf(
    alone(matrixOf(dense([200, 200], new Float32Array(40_000)), [])),
    picture(tokens, tokens),
  )
  expect(Math.max(width, height)).toBeLessThan(1400)
  const texts = shapes.filter((shape) => shape.kind === 'text')
  expect(texts.some(({ text }) => text === '0.000')).toBe(false)
  for (const anchor of ['start', 'end']) {
    const labels = texts.filter((shape) => shape.anchor === anchor && /^t\d/.test(shape.text))
    expect(labels.length).toBeGreaterThan(50)
    const places = labels.map(({ x, y }) => (anchor === 'start' ? x : y))
    const steps = places.slice(1).map((place, index) => place - (places[index] as number))
    expect(Math.min(...steps)).toBeGreaterThan(13)
  }
  expect(shapes.filter(({ kind }) => kind === 'box')).toHaveLength(40_000)
})

test('token-html: tokens are text in SVG, long ones are cut with the whole one in reach', () => {
  const tokens = [
    '<s>',
    '" onfocus="alert(1)',
    '<script>alert(1)</script>',
    ']]>&amp;',
    '\u0000\ud800x',
    'x'.repeat(300),
  ]
  const elements = drawn(
    svg(layoutOf(alone(matrixOf(dense([6, 6], new Float32Array(36)), [])), picture(tokens, tokens))),
  )
  expect(new Set(elements.map(([tag]) => tag))).toEqual(new Set(['svg', 'title', 'rect', 'text']))
  expect(
    elements.flatMap(([, , attributes]) => Object.keys(attributes)).filter((name) => /^on|href/.test(name)),
  ).toEqual([])
  const texts = elements.filter(([tag]) => tag === 'text').map(([, text]) => text)
  for (const shown of ['<s>', ']]>&amp;', '\ufffd\ufffdx'])
    expect(texts.filter((text) => text === shown).length).toBe(2)
  expect(texts.filter((text) => text.endsWith(`${'x'.repeat(15)}…`)).length).toBe(2)
  expect(elements.filter(([tag, text]) => tag === 'title' && text === 'x'.repeat(300)).length).toBe(2)
  expect(elements.filter(([tag, text]) => tag === 'title' && text === '" onfocus="alert(1)').length).toBe(2)
})
