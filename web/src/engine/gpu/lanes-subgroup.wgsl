// Over the 4 lanes of a row, which are a quad of a subgroup: no barrier, no memory.
// `values` are the thread's own, of its 4 rows.

fn largest_of_lanes(values: vec4f, thread: u32) -> vec4f {
  let pairs = max(values, quadSwapX(values));
  return max(pairs, quadSwapY(pairs));
}

fn sum_of_lanes(values: vec4f, thread: u32) -> vec4f {
  let pairs = values + quadSwapX(values);
  return pairs + quadSwapY(pairs);
}
