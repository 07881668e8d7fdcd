// Hands a file to the person. A link's address is a blob: of this page; nothing is asked
// of a server.

/** Saves a file under a name, as the browser saves downloads. */
export function save(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // No event says when the browser has read the address; Safari takes its time.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
