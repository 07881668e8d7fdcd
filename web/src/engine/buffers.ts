/** The buffers of an object's arrays, which a message can hand over instead of copying them. */
export const buffersOf = (object: object): ArrayBufferLike[] =>
  Object.values(object).flatMap((value) => (ArrayBuffer.isView(value) ? [value.buffer] : []))
