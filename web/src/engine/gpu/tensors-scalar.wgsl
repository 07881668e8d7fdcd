// Tensors of any head dimension, value by value.

@group(0) @binding(3) var<storage, read> q: array<f32>;
@group(0) @binding(4) var<storage, read> k: array<f32>;
@group(0) @binding(5) var<storage, read> v: array<f32>;
@group(0) @binding(6) var<storage, read_write> output: array<f32>;

// Which of the values of vector c are within a row of `dim`.
fn within(dim: u32, c: u32) -> vec4<bool> {
  return vec4u(4u * c) + vec4u(0, 1, 2, 3) < vec4u(dim);
}

// Where the row is whose first value has number `offset`.
fn place_of(offset: u32) -> u32 {
  return offset;
}

// Vector c of the row at `place`, zeros behind its end.
fn load_q(place: u32, c: u32) -> vec4f {
  let at = place + 4u * c;
  return select(vec4f(0), vec4f(q[at], q[at + 1u], q[at + 2u], q[at + 3u]), within(u.head_dim, c));
}

fn load_k(place: u32, c: u32) -> vec4f {
  let at = place + 4u * c;
  return select(vec4f(0), vec4f(k[at], k[at + 1u], k[at + 2u], k[at + 3u]), within(u.head_dim, c));
}

fn load_v(place: u32, c: u32) -> vec4f {
  let at = place + 4u * c;
  return select(vec4f(0), vec4f(v[at], v[at + 1u], v[at + 2u], v[at + 3u]), within(u.value_dim, c));
}

fn store_output(place: u32, c: u32, value: vec4f) {
  for (var i = 0u; i < 4u; i++) {
    if (4u * c + i < u.value_dim) { output[place + 4u * c + i] = value[i]; }
  }
}
