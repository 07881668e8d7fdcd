// Tensors whose head dimensions are multiples of 4, a vector at a time.

@group(0) @binding(3) var<storage, read> q: array<vec4f>;
@group(0) @binding(4) var<storage, read> k: array<vec4f>;
@group(0) @binding(5) var<storage, read> v: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> output: array<vec4f>;

// Vector c of the row at `offset`.
fn load_q(offset: u32, c: u32) -> vec4f {
  return q[(offset >> 2u) + c];
}

fn load_k(offset: u32, c: u32) -> vec4f {
  return k[(offset >> 2u) + c];
}

fn load_v(offset: u32, c: u32) -> vec4f {
  return v[(offset >> 2u) + c];
}

fn store_output(offset: u32, c: u32, value: vec4f) {
  if (4u * c < u.value_dim) { output[(offset >> 2u) + c] = value; }
}
