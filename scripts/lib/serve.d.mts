// The types of serve.mjs, for the tests.
export declare function serve(
  folder: string,
  options?: { port?: number; prefix?: string },
): Promise<{ url: string; close: () => Promise<void> }>
