// What a field takes, in the words of the sentence that refuses something else.

export const fieldWords = {
  text: 'a text',
  flag: '0 or 1',
  count: (least: number, most: number) => `a whole number from ${least} to ${most}`,
  number: (least: number, most: number) => `a number from ${least} to ${most}`,
  choice: (names: readonly string[]) => `one of ${names.join(', ')}`,
  list: (least: number, most: number, length?: number) =>
    `${length === undefined ? '' : `${length} `}whole numbers from ${least} to ${most} with commas between them`,
  pairs: 'cells such as 2.0,3.1',
  edits: 'cells and their numbers, such as 2.0:0.5,3.1:-1',
  refused: (key: string, expects: string, got: string) => `“${key}” takes ${expects}, not “${got}”; it was left out.`,
  notDivisor: (key: string, got: number, queryHeads: number, used: number) =>
    `“${key}” has to divide the ${queryHeads} query heads, and ${got} does not; it is ${used} here.`,
  twice: (key: string) => `“${key}” stands more than once; only the last one is read.`,
  unknown: (key: string) => `There is nothing named “${key}”; it was left out.`,
}
