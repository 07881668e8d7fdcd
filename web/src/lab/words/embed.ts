// The words of the widget in a page that is not its own.

export const embedWords = {
  notLoaded: (error: unknown) => `The core could not be loaded: ${error}`,
  otherVersion: (element: string, present: string | undefined, own: string) =>
    `<${element}> is defined on this page already, by version ${present ?? 'unknown'}; version ${own} is left out.`,
} as const
