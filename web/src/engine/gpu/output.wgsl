// The output: FlashAttention (Dao et al. 2022; the loop order of FlashAttention-2,
// Dao 2023) with online softmax (Milakov & Gimelshein 2018). A thread has whole rows:
// no score leaves it, and no maximum or sum has to be gathered from others.
//
// On a GPU, where EACH is 1, the 32 scores of a row are registers, since every index of
// theirs is a number; its sums, which are indexed by a variable, are read and written
// once for 32 keys.
//
// On SwiftShader by lanes-quad.wgsl, D 64, H 8, causal, this takes 1 / 3.3 of the time of
// a tile of 4 rows by 8 keys a thread with everything staged, at T 512 as at T 1024.

const VECTORS = CHUNK * CHUNKS;

var<private> sums: array<array<vec4f, EACH>, VECTORS>;  // the rows' output, unnormalised
var<private> maxima: array<f32, EACH>;
var<private> totals: array<f32, EACH>;  // of the weights
var<private> shrink: array<f32, EACH>;  // what the sums are yet to be multiplied by

@compute @workgroup_size(THREADS)
fn main(thread: Thread, @builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) count: vec3u) {
  let workgroup = id.x + count.x * (id.y + count.y * id.z);
  if (workgroup < u.heads * u.row_tiles) { attend(tile_of(workgroup), thread); }
}

// A hidden value may be NaN or infinite, and 0 * NaN is NaN. Then the sums tell, and all
// is done again, in the same order, with every hidden value as 0.
fn attend(tile: Tile, thread: Thread) {
  prepare_rows(tile, thread);
  var sweeps = 1u;
  for (var done = 0u; done < sweeps; done++) {
    sweep(tile, done > 0u, thread);
    if (done == 0u && of_any_thread(is_strange(), thread)) { sweeps = 2u; }
  }
  write();
}

fn sweep(tile: Tile, careful: bool, thread: Thread) {
  sums = array<array<vec4f, EACH>, VECTORS>();
  /* unroll */ for (var r = 0u; r < EACH; r++) {
    maxima[r] = LOWEST;
    totals[r] = 0;
  }
  for (var at = tile.list; at < tile.list_end; at++) {
    let first_key = (words[at] >> 1) * KEYS;
    score(tile, first_key, (words[at] & 1u) > 0u, thread);
    /* unroll */ for (var r = 0u; r < EACH; r++) {
      let top = raised(r, maxima[r]);
      shrink[r] = exponential(vec4f(maxima[r] - top)).x;
      totals[r] = totals[r] * shrink[r] + weigh(r, top);
      maxima[r] = top;
    }
    let any_seen = sees_any();
    for (var first = 0u; 4u * first < u.value_dim; first += CHUNK) {
      stage_v(tile, first_key, first, thread);
      let count = select(0u, vectors_of(u.value_dim, first), any_seen);
      for (var c = 0u; c < select(count, 0u, careful); c++) { add_vector(first, c); }
      for (var c = 0u; c < select(0u, count, careful); c++) { add_vector_carefully(first, c, thread); }
      unstage();
    }
  }
}

// Adds the weighted values to vector `first + c` of the output.
fn add_vector(first: u32, c: u32) {
  fetch_v(first, c);
  var results: array<vec4f, EACH>;
  /* unroll */ for (var r = 0u; r < EACH; r++) { results[r] = sums[first + c][r] * shrink[r]; }
  /* unroll */ for (var i = 0u; i < FOURS; i++) {
    let v = four_values(i, first, c);
    /* unroll */ for (var f = 0u; f < COLUMNS; f++) {
      /* unroll */ for (var r = 0u; r < EACH; r++) {
        results[r][f] += weighted(v[0][f], v[1][f], v[2][f], v[3][f], scores[r * FOURS + i]);
      }
    }
  }
  /* unroll */ for (var r = 0u; r < EACH; r++) { sums[first + c][r] = results[r]; }
}

fn add_vector_carefully(first: u32, c: u32, thread: Thread) {
  fetch_v(first, c);
  // Copies, which may be indexed by a variable.
  var weights = scores;
  var shrinks = shrink;
  var visible = seen;
  for (var r = 0u; r < EACH; r++) {
    var result = sums[first + c][r] * shrinks[r];
    /* unroll */ for (var i = 0u; i < FOURS; i++) {
      let v = four_values(i, first, c);
      let shown = seen_of(visible[r], i, thread);
      let v0 = select(vec4f(0), v[0], shown.x);
      let v1 = select(vec4f(0), v[1], shown.y);
      let v2 = select(vec4f(0), v[2], shown.z);
      let v3 = select(vec4f(0), v[3], shown.w);
      /* unroll */ for (var f = 0u; f < COLUMNS; f++) {
        result[f] += weighted(v0[f], v1[f], v2[f], v3[f], weights[r * FOURS + i]);
      }
    }
    sums[first + c][r] = result;
  }
}

fn is_strange() -> bool {
  var strange = false;
  for (var c = 0u; c < VECTORS; c++) {
    for (var r = 0u; r < EACH; r++) {
      strange |= any((bitcast<vec4u>(sums[c][r]) & vec4u(0x7f800000)) == vec4u(0x7f800000));
    }
  }
  return strange;
}

fn write() {
  /* unroll */ for (var r = 0u; r < EACH; r++) {
    // A row that saw a key has a total of at least 1: that of its largest score.
    let none = totals[r] == 0;
    for (var c = 0u; c < select(0u, VECTORS, rows[r].exists); c++) {
      store_output(place_of(rows[r].output), c, select(sums[c][r] / totals[r], vec4f(0), none));
    }
  }
}
