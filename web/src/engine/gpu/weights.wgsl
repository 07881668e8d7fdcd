// The weights [B, Hq, T, S], for display: one sweep over the keys for the maximum and
// the sum of each row, a second one that writes the weights. Hidden tiles are written
// too, as zeros, but not computed.

@group(0) @binding(7) var<storage, read_write> weights: array<f32>;

@compute @workgroup_size(THREADS)
fn main(thread: Thread, @builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) count: vec3u) {
  let workgroup = id.x + count.x * (id.y + count.y * id.z);
  if (workgroup < u.heads * u.row_tiles) { weigh_all(tile_of(workgroup), thread); }
}

fn weigh_all(tile: Tile, thread: Thread) {
  prepare_rows(tile, thread);

  var maxima: array<f32, EACH>;
  var totals: array<f32, EACH>;
  /* unroll */ for (var r = 0u; r < EACH; r++) { maxima[r] = LOWEST; }
  for (var at = tile.list; at < tile.list_end; at++) {
    score(tile, (words[at] >> 1) * KEYS, (words[at] & 1u) > 0u, thread);
    /* unroll */ for (var r = 0u; r < EACH; r++) {
      let top = raised(r, maxima[r]);
      totals[r] = totals[r] * exponential(vec4f(maxima[r] - top)).x + weigh(r, top);
      maxima[r] = top;
    }
  }

  var next = tile.list;
  for (var key_tile = 0u; key_tile * KEYS < u.keys; key_tile++) {
    let listed = next < tile.list_end && words[next] >> 1 == key_tile;
    if (listed) {
      score(tile, key_tile * KEYS, (words[next] & 1u) > 0u, thread);
      next++;
    }
    /* unroll */ for (var r = 0u; r < EACH; r++) {
      weigh(r, maxima[r]);
      write(rows[r], r, key_tile * KEYS, totals[r], select(0u, seen[r], listed), thread);
    }
  }
}

fn write(row: Row, r: u32, first_key: u32, total: f32, visible: u32, thread: Thread) {
  var values = scores;
  for (var j = 0u; j < select(0u, min(KEYS, u.keys - first_key), row.exists); j++) {
    let value = values[r * FOURS + (j >> 2u)][column(j, thread)] / total;
    weights[row.output + first_key + j] = select(0.0, value, ((visible >> j) & 1u) > 0u);
  }
}
