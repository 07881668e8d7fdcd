// ONNX models of one operator. The field numbers are those of onnx.proto.

import { message } from './protobuf.mjs'

export const float32 = 1
export const int32 = 6

const irVersion = 10
const opset = 23
const integerAttribute = 2

const attribute = (name, value) => ({ 1: name, 3: value, 20: integerAttribute })
const tensorType = (type, shape) => ({ 1: { 1: type, 2: { 1: shape.map((size) => ({ 1: size })) } } })

/**
 * The model's bytes. Inputs are { name, type, shape }, in the operator's order, with
 * undefined for one left out; attributes are whole numbers by name; outputs names of
 * float32 tensors of any shape.
 */
export function oneOperator({ operator, domain = '', version, attributes, inputs, outputs }) {
  const node = {
    1: inputs.map((input) => input?.name ?? ''),
    2: outputs,
    4: operator,
    5: Object.entries(attributes).map(([name, value]) => attribute(name, value)),
    7: domain,
  }
  const graph = {
    1: node,
    2: operator,
    11: inputs.filter(Boolean).map(({ name, type, shape }) => ({ 1: name, 2: tensorType(type, shape) })),
    12: outputs.map((name) => ({ 1: name, 2: { 1: { 1: float32 } } })),
  }
  const opsets = [{ 1: '', 2: opset }]
  if (domain) opsets.push({ 1: domain, 2: version })
  return Uint8Array.from(message({ 1: irVersion, 7: graph, 8: opsets }))
}
