// Tables and numbers for people who read a terminal.

export const milliseconds = (value) => (value < 100 ? value.toPrecision(3) : value.toFixed(0))
export const percent = (share) => `${(100 * share).toFixed(0)} %`
export const mebibytes = (bytes) => (bytes / 2 ** 20).toFixed(2)

/** The first column to the left, all others to the right. */
export function table(head, rows) {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const pad = (text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]))
  return lines.map((line) => `  ${line.map(pad).join('   ')}`.trimEnd()).join('\n')
}
