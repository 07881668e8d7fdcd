// The worked example that the page, the command line and the tests start from:
// six tokens with three features each, which serve as queries, keys and values.

export const sixTokens: readonly { readonly token: string; readonly vector: readonly number[] }[] = [
  { token: 'Your', vector: [0.43, 0.15, 0.89] },
  { token: 'journey', vector: [0.55, 0.87, 0.66] },
  { token: 'starts', vector: [0.57, 0.85, 0.64] },
  { token: 'with', vector: [0.22, 0.58, 0.33] },
  { token: 'one', vector: [0.77, 0.25, 0.1] },
  { token: 'step', vector: [0.05, 0.8, 0.55] },
]
