// A sentence as tokens: what stands between spaces, nothing cleverer.

/** The words that the sentence goes on with when a person asks for more tokens. */
export const story = (
  'Your journey starts with one step ' +
  'and then one more until the road behind you is longer than the road left ahead of you'
).split(' ')

export const split = (sentence: string): string[] => sentence.split(' ').filter((token) => token !== '')

/** The first `count` tokens of the sentence; the story goes on where it has too few. */
export function tokensOf(sentence: string, count: number): string[] {
  const tokens = split(sentence)
  return Array.from({ length: count }, (_, index) => tokens[index] ?? (story[index % story.length] as string))
}

const glyphs: Record<string, string> = { '\t': '⇥', '\n': '↵', '\r': '↵', '\u00a0': '⍽' }

/** The token as it is drawn: one that would be invisible gets glyphs. */
export function visible(token: string): string {
  if (!/^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+$/u.test(token)) return token
  return Array.from(token, (character) => glyphs[character] ?? '␣').join('')
}
