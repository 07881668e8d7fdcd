// Over the 4 lanes of a row, by way of workgroup memory: works everywhere. `values` are
// the thread's own, of its 4 rows.

var<workgroup> lane_values: array<vec4f, THREADS>;

fn share(values: vec4f, thread: u32) {
  workgroupBarrier();
  lane_values[thread] = values;
  workgroupBarrier();
}

fn largest_of_lanes(values: vec4f, thread: u32) -> vec4f {
  share(values, thread);
  let at = thread / LANES * LANES;
  return max(max(lane_values[at], lane_values[at + 1u]), max(lane_values[at + 2u], lane_values[at + 3u]));
}

// The order of the additions is that of lanes-subgroup.wgsl.
fn sum_of_lanes(values: vec4f, thread: u32) -> vec4f {
  share(values, thread);
  let at = thread / LANES * LANES;
  return (lane_values[at] + lane_values[at + 1u]) + (lane_values[at + 2u] + lane_values[at + 3u]);
}
