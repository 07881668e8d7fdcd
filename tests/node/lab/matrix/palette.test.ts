import { describe, expect, test } from 'vitest'
import { type Colour, lightness, luminance, paletteOf, parse, pixel } from '../../../../web/src/lab/matrix/palette.ts'

/** Contrast as WCAG 2 defines it. */
function contrast(one: Colour, other: Colour): number {
  const linear = (channel: number) =>
    channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4
  const [a, b] = [one, other].map(
    ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) + 0.05,
  ) as [number, number]
  return Math.max(a, b) / Math.min(a, b)
}

const hex = (text: string) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as unknown as Colour

test('luminance, contrast and lightness of colours whose values are published', () => {
  expect(luminance([255, 255, 255])).toBeCloseTo(1, 6)
  expect(luminance([0, 0, 0])).toBe(0)
  // #767676 is WCAG's lightest grey for text on white.
  expect(contrast([118, 118, 118], [255, 255, 255])).toBeCloseTo(4.54, 2)
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 6)
  expect(lightness([255, 255, 255])).toBeCloseTo(100, 3)
  expect(lightness([119, 119, 119])).toBeCloseTo(50.03, 1)
  expect(lightness([255, 0, 0])).toBeCloseTo(53.24, 1)
})

/** How the colour looks to eyes without green cones: Viénot, Brettel and Mollon 1999, in linear light. */
function deuteranope(colour: Colour): Colour {
  const linear = colour.map((channel) => (channel / 255) ** 2.2) as unknown as Colour
  const [red, green, blue] = linear
  const seen = [
    0.29275 * red + 0.70725 * green,
    0.29275 * red + 0.70725 * green,
    -0.02234 * red + 0.02234 * green + blue,
  ]
  return seen.map((channel) => 255 * Math.max(0, Math.min(1, channel)) ** (1 / 2.2)) as unknown as Colour
}

describe.each([
  ['light', false],
  ['dark', true],
] as const)('the %s palette', (_, dark) => {
  const palette = paletteOf(dark)
  const away = dark ? 1 : -1

  test.each(['sequential', 'diverging'] as const)('%s: digits are readable on every colour', (name) => {
    const { css, inks } = palette[name]
    css.forEach((colour, index) => {
      const found = contrast(parse(colour), hex(inks[index] as string))
      expect(found, `${name} ${index}: ${colour} under ${inks[index]}`).toBeGreaterThanOrEqual(4.5)
    })
  })

  test.each(['sequential', 'diverging'] as const)('%s: pixels are the same colours', (name) => {
    const { css, pixels } = palette[name]
    expect(Array.from(pixels)).toEqual(css.map((colour) => pixel(parse(colour))))
    // ImageData has red first in memory.
    expect(Array.from(new Uint8Array(Uint32Array.of(pixel([1, 2, 3])).buffer))).toEqual([1, 2, 3, 255])
  })

  test('sequential: lightness goes one way, in even steps', () => {
    const steps = palette.sequential.css.map((colour) => lightness(parse(colour)))
    const even = (steps.at(-1) as number) - (steps[0] as number)
    expect(Math.sign(even)).toBe(away)
    steps.forEach((step, index) => {
      const ideal = (steps[0] as number) + (even * index) / (steps.length - 1)
      // A step of a channel by one changes lightness by up to 0.4; a table of 2040 colours adds 0.2.
      expect(Math.abs(step - ideal), `step ${index}: lightness ${step}, ideally ${ideal}`).toBeLessThan(0.6)
      if (index > 0) expect(away * (step - (steps[index - 1] as number)), `step ${index}`).toBeGreaterThanOrEqual(0)
    })
  })

  test('diverging: both signs are equally far from zero, in even steps', () => {
    const steps = palette.diverging.css.map((colour) => lightness(parse(colour)))
    const middle = (steps.length - 1) / 2
    expect(palette.diverging.css[middle]).toBe(palette.sequential.css[0])
    for (let index = 1; index <= middle; ++index) {
      const [below, above] = [steps[middle - index] as number, steps[middle + index] as number]
      expect(Math.abs(below - above), `${index} steps from zero: ${below} and ${above}`).toBeLessThan(1)
      expect(away * (above - (steps[middle + index - 1] as number)), `step ${index}`).toBeGreaterThanOrEqual(0)
      expect(away * (below - (steps[middle - index + 1] as number)), `step -${index}`).toBeGreaterThanOrEqual(0)
    }
  })

  test('diverging: the signs differ to eyes without green cones, too', () => {
    const { css } = palette.diverging
    for (const share of [0.25, 0.5, 1]) {
      const distance = (Math.round(share * (css.length - 1)) / 2) | 0
      const middle = (css.length - 1) / 2
      const [below, above] = [middle - distance, middle + distance].map((at) => deuteranope(parse(css[at] as string)))
      // Yellow against blue: what of the blue channel is left beside the others.
      const blueness = ([red, , blue]: Colour) => blue - red
      const apart = blueness(above as Colour) - blueness(below as Colour)
      expect(apart, `${share} of the way: ${below} and ${above}`).toBeGreaterThan(60 * Math.sqrt(share))
    }
  })

  test('the zero is the ground: pale in the light theme, dark in the dark one', () => {
    const zero = lightness(parse(palette.sequential.css[0] as string))
    if (dark) expect(zero).toBeLessThan(20)
    else expect(zero).toBeGreaterThan(97)
  })
})
