// The theme's colours can be read, in light and dark (WCAG 2.2, 1.4.3 and 1.4.11).

import { expect, test } from 'vitest'
import { luminance, parse } from '../../../web/src/lab/matrix/palette.ts'
import { palette } from '../../../web/src/lab/theme.ts'

const colours = new Map(
  Array.from(
    palette.cssText.matchAll(/(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g),
    ([, name, light, dark]) => [String(name), [String(light), String(dark)]] as const,
  ),
)

function contrast(one: string, other: string, theme: number): number {
  const of = (name: string) => {
    const hex = colours.get(name)?.[theme]
    if (!hex) throw new Error(`no colour ${name}`)
    const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
    return luminance(parse(`rgb(${part(1)}, ${part(3)}, ${part(5)})`))
  }
  const [a, b] = [of(one), of(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

const texts = ['--ink', '--ink-soft', '--query', '--key', '--value', '--attention']

for (const [theme, title] of ['light', 'dark'].entries()) {
  test.each(texts)(`%s is legible on every ground, ${title}`, (text) => {
    for (const ground of ['--surface', '--sunken']) {
      expect(contrast(text, ground, theme), ground).toBeGreaterThanOrEqual(4.5)
    }
  })

  test(`hatching stands out from its ground, ${title}`, () => {
    expect(contrast('--hidden-mark', '--hidden', theme)).toBeGreaterThanOrEqual(3)
  })

  test(`what is no number stands out from the surface, ${title}`, () => {
    expect(contrast('--not-a-number', '--surface', theme)).toBeGreaterThanOrEqual(4.5)
  })
}
