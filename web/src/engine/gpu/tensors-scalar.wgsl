// Tensors of any head dimension, value by value.

@group(0) @binding(3) var<storage, read> q: array<f32>;
@group(0) @binding(4) var<storage, read> k: array<f32>;
@group(0) @binding(5) var<storage, read> v: array<f32>;
@group(0) @binding(6) var<storage, read_write> output: array<f32>;

// Vector c of the row at `offset`, zeros behind its end.
fn load_q(offset: u32, c: u32) -> vec4f {
  var value = vec4f(0);
  for (var i = 0u; i < 4u; i++) {
    if (4u * c + i < u.head_dim) { value[i] = q[offset + 4u * c + i]; }
  }
  return value;
}

fn load_k(offset: u32, c: u32) -> vec4f {
  var value = vec4f(0);
  for (var i = 0u; i < 4u; i++) {
    if (4u * c + i < u.head_dim) { value[i] = k[offset + 4u * c + i]; }
  }
  return value;
}

fn load_v(offset: u32, c: u32) -> vec4f {
  var value = vec4f(0);
  for (var i = 0u; i < 4u; i++) {
    if (4u * c + i < u.value_dim) { value[i] = v[offset + 4u * c + i]; }
  }
  return value;
}

fn store_output(offset: u32, c: u32, value: vec4f) {
  for (var i = 0u; i < 4u; i++) {
    if (4u * c + i < u.value_dim) { output[offset + 4u * c + i] = value[i]; }
  }
}
