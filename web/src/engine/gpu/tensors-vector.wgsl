// Tensors whose head dimensions are multiples of 4, a vector at a time. Keys and values lie
// as they came: Stored is vec4f, or vec4<f16>, of which each number is a float32 too.

@group(0) @binding(3) var<storage, read> q: array<vec4f>;
@group(0) @binding(4) var<storage, read> k: array<Stored>;
@group(0) @binding(5) var<storage, read> v: array<Stored>;
@group(0) @binding(6) var<storage, read_write> output: array<vec4f>;

// Where the row is whose first value has number `offset`. Found once for a row and not for
// a vector: SwiftShader shifts lane by lane.
fn place_of(offset: u32) -> u32 {
  return offset >> 2u;
}

// Vector c of the row at `place`.
fn load_q(place: u32, c: u32) -> vec4f {
  return q[place + c];
}

fn load_k(place: u32, c: u32) -> vec4f {
  return vec4f(k[place + c]);
}

fn load_v(place: u32, c: u32) -> vec4f {
  return vec4f(v[place + c]);
}

fn store_output(place: u32, c: u32, value: vec4f) {
  if (4u * c < u.value_dim) { output[place + c] = value; }
}
