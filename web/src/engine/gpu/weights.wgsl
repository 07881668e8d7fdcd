// The weights [B, Hq, T, S], for display: one sweep over the keys for the maximum and
// the sum of each row, a second one that writes the weights. Hidden tiles are written
// too, as zeros, but not computed.

@group(0) @binding(7) var<storage, read_write> weights: array<f32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) id: vec3u,
        @builtin(num_workgroups) count: vec3u) {
  let workgroup = id.x + count.x * (id.y + count.y * id.z);
  if (workgroup >= u.heads * u.row_tiles) { return; }
  let tile = tile_of(workgroup);
  prepare_rows(tile, thread);
  let x = thread % LANES;
  let y = thread / LANES;

  var maxima = vec4f(LOWEST);
  var totals = vec4f(0);
  for (var at = tile.list; at < tile.list_end; at++) {
    score(tile, words[at] >> 1, (words[at] & 1u) > 0u, thread);
    let tops = raised(maxima);
    totals = totals * exponential(maxima - tops) + weigh(tops);
    maxima = tops;
  }
  let tops = largest_of_lanes(maxima, thread);
  totals = sum_of_lanes(totals * exponential(maxima - tops), thread);

  var next = tile.list;
  for (var key_tile = 0u; key_tile * KEYS < u.keys; key_tile++) {
    let listed = next < tile.list_end && words[min(next, tile.list_end - 1u)] >> 1 == key_tile;
    if (listed) {
      score(tile, key_tile, (words[next] & 1u) > 0u, thread);
      weigh(tops);
      next++;
    }
    for (var r = 0u; r < ROWS; r++) {
      if (tile.row + tile_row(y, r) >= u.rows) { continue; }
      for (var half = 0u; half < 2u; half++) {
        var values = vec4f(0);
        if (listed) { values = select(vec4f(0), scores[2u * r + half] / totals[r], seen_of(r, half)); }
        for (var i = 0u; i < 4u; i++) {
          let key = key_tile * KEYS + x + 16u * half + 4u * i;
          if (key < u.keys) { weights[row_output[r] + key] = values[i]; }
        }
      }
    }
  }
}
