// The words of the exports.

export const exportWords = {
  export: 'Export',
  formats: {
    svg: 'Picture (SVG)',
    png: 'Picture (PNG)',
    csv: 'Stage as CSV',
    npy: 'Stage for NumPy (.npy)',
    npz: 'All stages for NumPy (.npz)',
    numpy: 'Program in NumPy',
    pytorch: 'Program in PyTorch',
    cpp: 'Program in C++',
  },
  noPicture: (width: number, height: number) =>
    `The browser made no picture of a canvas of ${width} × ${height} pixels.`,
} as const
