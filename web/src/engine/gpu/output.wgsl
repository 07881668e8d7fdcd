// The output: FlashAttention (Dao et al. 2022; the loop order of FlashAttention-2,
// Dao 2023) with online softmax (Milakov & Gimelshein 2018). A thread has whole rows:
// no score leaves it, and no maximum or sum has to be gathered from others.
//
// On a GPU, where EACH is 1, the 32 scores of a row are registers, since every index of
// theirs is a number; its sums, which are indexed by a variable, are read and written
// once for 32 keys.
//
// On SwiftShader by lanes-quad.wgsl, D 64, H 8, causal, this takes 1 / 2.3 of the time of
// a tile of 4 rows by 8 keys a thread with everything staged, at T 512 as at T 1024.

const COLUMNS = CHUNK * CHUNKS;

var<private> sums: array<vec4f, EACH * COLUMNS>;  // the rows' output, unnormalised
var<private> maxima: array<f32, EACH>;
var<private> totals: array<f32, EACH>;  // of the weights
var<private> shrink: array<f32, EACH>;  // what the sums are yet to be multiplied by

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) id: vec3u,
        @builtin(num_workgroups) count: vec3u) {
  let workgroup = id.x + count.x * (id.y + count.y * id.z);
  if (workgroup < u.heads * u.row_tiles) { attend(tile_of(workgroup), thread); }
}

// A hidden value may be NaN or infinite, and 0 * NaN is NaN. Then the sums tell, and all
// is done again, in the same order, with every hidden value as 0.
fn attend(tile: Tile, thread: u32) {
  prepare_rows(tile, thread);
  var sweeps = 1u;
  for (var done = 0u; done < sweeps; done++) {
    sweep(tile, done > 0u, thread);
    if (done == 0u && of_any_thread(is_strange(), thread)) { sweeps = 2u; }
  }
  write();
}

fn sweep(tile: Tile, careful: bool, thread: u32) {
  sums = array<vec4f, EACH * COLUMNS>();
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
  var results: array<vec4f, EACH>;
  let at = (first + c) * EACH;
  /* unroll */ for (var r = 0u; r < EACH; r++) { results[r] = sums[at + r] * shrink[r]; }
  /* unroll */ for (var i = 0u; i < FOURS; i++) {
    let v = four_values(i, first, c);
    /* unroll */ for (var r = 0u; r < EACH; r++) { results[r] += weighted(v, scores[r * FOURS + i]); }
  }
  /* unroll */ for (var r = 0u; r < EACH; r++) { sums[at + r] = results[r]; }
}

fn add_vector_carefully(first: u32, c: u32, thread: u32) {
  // Copies, which may be indexed by a variable.
  var weights = scores;
  var shrinks = shrink;
  var visible = seen;
  for (var r = 0u; r < EACH; r++) {
    var result = sums[(first + c) * EACH + r] * shrinks[r];
    /* unroll */ for (var i = 0u; i < FOURS; i++) {
      let v = four_values(i, first, c);
      let shown = seen_of(visible[r], i, thread);
      result += weighted(mat4x4f(select(vec4f(0), v[0], shown.x), select(vec4f(0), v[1], shown.y),
                                 select(vec4f(0), v[2], shown.z), select(vec4f(0), v[3], shown.w)),
                         weights[r * FOURS + i]);
    }
    sums[(first + c) * EACH + r] = result;
  }
}

fn is_strange() -> bool {
  var strange = false;
  for (var i = 0u; i < EACH * COLUMNS; i++) {
    strange |= any((bitcast<vec4u>(sums[i]) & vec4u(0x7f800000)) == vec4u(0x7f800000));
  }
  return strange;
}

fn write() {
  /* unroll */ for (var r = 0u; r < EACH; r++) {
    // A row that saw a key has a total of at least 1: that of its largest score.
    let none = totals[r] == 0;
    for (var c = 0u; c < select(0u, COLUMNS, rows[r].exists); c++) {
      store_output(rows[r].output, c, select(sums[c * EACH + r] / totals[r], vec4f(0), none));
    }
  }
}
