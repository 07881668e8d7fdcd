// Keys and values where a subgroup is larger than a quad. EACH is 1, as in
// lanes-workgroup.wgsl. LANES is at most the least size of a subgroup that the adapter has,
// so whatever size the kernel gets, its first LANES lanes have all keys between them. In a
// workgroup that is smaller than a subgroup the lanes that are there are the first ones,
// which all drivers do and Vulkan doesn't promise.
//
// ONNX Runtime's flash attention shuffles keys in a like way (its pull requests 22932 and
// 23576), but not on NVIDIA, where it measured that all threads reading one place of workgroup
// memory is a tenth faster (25777), nor on Apple (28520); so here neither. Untried on a card.
//
// On Mesa's lavapipe, subgroups of 8, D 64, H 8, causal, T 512, this takes 1 / 6 of the time
// of lanes-workgroup.wgsl.

struct Thread {
  @builtin(local_invocation_index) index: u32,
  @builtin(subgroup_invocation_id) lane: u32,
}

var<private> own: array<vec4f, LOADS>;  // of each of this lane's keys or values, a vector

fn lane_of(thread: Thread) -> u32 {
  return thread.lane % LANES;
}

// Gets vector `first + c` of this lane's keys.
fn fetch_k(first: u32, c: u32) {
  /* unroll */ for (var n = 0u; n < LOADS; n++) { own[n] = load_k(places[n], first + c); }
}

fn fetch_v(first: u32, c: u32) {
  /* unroll */ for (var n = 0u; n < LOADS; n++) { own[n] = load_v(places[n], first + c); }
}

// The fetched vector of the i-th four keys, each in a column.
fn four_keys(i: u32, first: u32, c: u32) -> mat4x4f {
  let held = own[4u * i / LANES];
  let lane = 4u * i % LANES;
  return mat4x4f(subgroupShuffle(held, lane), subgroupShuffle(held, lane + 1u),
                 subgroupShuffle(held, lane + 2u), subgroupShuffle(held, lane + 3u));
}

fn four_values(i: u32, first: u32, c: u32) -> mat4x4f {
  return four_keys(i, first, c);
}
