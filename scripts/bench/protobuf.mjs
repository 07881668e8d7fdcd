// Writes protocol buffer messages: as much of the format as an ONNX model needs. A
// message is an object from field numbers to values; a list is a repeated field.

function varint(number) {
  const bytes = []
  let rest = number
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

const wholeNumber = 0
const lengthAndBytes = 2

function field(number, value) {
  if (typeof value === 'number') return [...varint(number * 8 + wholeNumber), ...varint(value)]
  const bytes = typeof value === 'string' ? [...Buffer.from(value)] : message(value)
  return [...varint(number * 8 + lengthAndBytes), ...varint(bytes.length), ...bytes]
}

/** The bytes of a message whose values are whole numbers, texts and messages. */
export const message = (fields) =>
  Object.entries(fields).flatMap(([number, values]) => [values].flat().flatMap((value) => field(Number(number), value)))
