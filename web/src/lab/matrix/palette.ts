// The colours of numbers. Their hues are ColorBrewer's, by d3-scale-chromatic: safe
// for colour-blind eyes, one hue (Purples) for what has no sign and two (PuOr) for
// what has. Their steps are made even here: equal steps of a number are equal steps
// of CIELAB lightness, and the two signs are equally far from the zero between them.
// In the dark theme zero is dark and large numbers are light.

import { interpolatePuOr, interpolatePurples } from 'd3-scale-chromatic'

/** Red, green and blue, each a whole number from 0 to 255. */
export type Colour = readonly [number, number, number]

/** Colours in order of the number; digits on `css[i]` are written in `inks[i]`. */
export interface Ramp {
  readonly css: readonly string[]
  readonly inks: readonly string[]
  /** The same colours as the bytes of an ImageData, little-endian. */
  readonly pixels: Uint32Array
}

export interface Palette {
  /** From zero to the largest number. */
  readonly sequential: Ramp
  /** From the most negative number over zero, in the middle, to the most positive one. */
  readonly diverging: Ramp
}

/** Steps from zero to either end. */
export const steps = 255

/** A theme's colour of zero, and which stretches of d3's colours follow it. */
const themes = {
  light: { zero: [252, 251, 253], purples: [0.05, 1], violet: [0.45, 0], orange: [0.55, 1] },
  dark: { zero: [40, 36, 53], purples: [1, 0.3], violet: [0.02, 0.32], orange: [1, 0.68] },
} as const satisfies Record<string, Hues>

/** The palette of a theme; made once. */
export function paletteOf(dark: boolean): Palette {
  const name = dark ? 'dark' : 'light'
  made[name] ??= make(name)
  return made[name]
}

const made: { light?: Palette; dark?: Palette } = {}

/** Each ramp is made when it is first asked for. */
function make(name: keyof typeof themes): Palette {
  let sequential: Ramp | undefined
  let diverging: Ramp | undefined
  return {
    get sequential() {
      sequential ??= makeSequential(themes[name])
      return sequential
    },
    get diverging() {
      diverging ??= makeDiverging(themes[name])
      return diverging
    },
  }
}

interface Hues {
  readonly zero: Colour
  readonly purples: readonly number[]
  readonly violet: readonly number[]
  readonly orange: readonly number[]
}

function makeSequential({ zero, purples }: Hues): Ramp {
  const colours = arm(zero, interpolatePurples, purples)
  return ramp(even(colours, lightness(colours.at(-1) as Colour)))
}

function makeDiverging({ zero, violet, orange }: Hues): Ramp {
  const arms = [orange, violet].map((stretch) => arm(zero, interpolatePuOr, stretch))
  // Both as far as the one that ends nearer to zero.
  const start = lightness(zero)
  const ends = arms.map((colours) => lightness(colours.at(-1) as Colour))
  const end = ends.reduce((one, other) => (Math.abs(one - start) < Math.abs(other - start) ? one : other))
  const [negative, positive] = arms.map((colours) => even(colours, end)) as [Colour[], Colour[]]
  return ramp([...negative.slice(1).reverse(), ...positive])
}

/** How many of d3's colours an arm is made from; between them it is straight. */
const knots = 40
const samples = 8 * steps

/** From zero into a stretch of d3's colours, in fine steps. */
function arm(zero: Colour, interpolate: (at: number) => string, [from = 0, to = 1]: readonly number[]): Colour[] {
  const given = Array.from({ length: knots + 1 }, (_, knot) => {
    const at = knot / knots
    return mix(zero, parse(interpolate(from + (to - from) * at)), Math.min(1, at / 0.3))
  })
  return Array.from({ length: samples + 1 }, (_, index) => {
    const at = (index * knots) / samples
    const knot = Math.min(Math.floor(at), knots - 1)
    return whole(mix(given[knot] as Colour, given[knot + 1] as Colour, at - knot))
  })
}

const mix = (a: Colour, b: Colour, share: number): Colour => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
]

const whole = (colour: Colour): Colour => [Math.round(colour[0]), Math.round(colour[1]), Math.round(colour[2])]

/** Of colours that get lighter or darker, those at equal steps of lightness up to `end`: for each the first that is as far. */
function even(colours: readonly Colour[], end: number): Colour[] {
  const reached = colours.map(lightness)
  const start = reached[0] as number
  const direction = Math.sign(end - start)
  let at = 0
  return Array.from({ length: steps + 1 }, (_, step) => {
    const wanted = start + ((end - start) * step) / steps
    while (at < colours.length - 1 && direction * ((reached[at] as number) - wanted) < 0) ++at
    return colours[at] as Colour
  })
}

const ramp = (colours: readonly Colour[]): Ramp => ({
  css: colours.map((colour) => `rgb(${colour.join(', ')})`),
  inks: colours.map(inkOn),
  pixels: Uint32Array.from(colours, pixel),
})

/** A colour as one of ImageData's little-endian words. */
export const pixel = (colour: Colour) => ((255 << 24) | (colour[2] << 16) | (colour[1] << 8) | colour[0]) >>> 0

/** The red, green and blue of a colour as d3 and getComputedStyle write it. */
export function parse(css: string): Colour {
  const [red = 0, green = 0, blue = 0] = (css.match(/[\d.]+/g) ?? []).map(Number)
  return [red, green, blue]
}

/** Where black and white have the same contrast (WCAG 2): (y + 0.05) / 0.05 = 1.05 / (y + 0.05). */
const between = Math.sqrt(0.05 * 1.05) - 0.05

/** Black or white, whichever is easier to read on the colour; its contrast is then at least 4.58. */
export const inkOn = (colour: Colour): string => (luminance(colour) >= between ? '#000000' : '#ffffff')

/** The light that a channel gives off, by its value. */
const lights = Float64Array.from({ length: 256 }, (_, channel) => {
  const share = channel / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
})

const light = (channel: number) => lights[Math.round(channel)] as number

/** Relative luminance as WCAG 2 defines it, 0 to 1. */
export function luminance(colour: Colour): number {
  return 0.2126 * light(colour[0]) + 0.7152 * light(colour[1]) + 0.0722 * light(colour[2])
}

/** CIELAB lightness, 0 to 100: equal steps look equal. */
export function lightness(colour: Colour): number {
  const y = luminance(colour)
  return y > 216 / 24389 ? 116 * Math.cbrt(y) - 16 : (y * 24389) / 27
}
