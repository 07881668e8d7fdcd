// The output: FlashAttention (Dao et al. 2022; the loop order of FlashAttention-2,
// Dao 2023) with online softmax (Milakov & Gimelshein 2018). Reads q once for every
// tile of keys, k and v once for every 16 * ROWS rows; no score leaves the workgroup.
//
// Lane x of a group holds, for each of its rows, vectors x, x + 4, x + 8 ... of the
// output. Its 4 lanes hand each other their weights through workgroup memory.

override COLUMNS: u32;  // vectors of a row that a lane holds, two for every 32 values

// Slot 4 * half + x of a row has the weights of lane x's keys x + 16 * half + 0, 4, 8, 12.
var<workgroup> weight_tile: array<vec4f, 16 * ROWS * PITCH>;

// A hidden value may be NaN or infinite, and 0 * NaN is NaN. Where a tile that some
// row does not see whole has such a value, hidden ones are replaced by 0, for each row.
var<workgroup> strange: atomic<u32>;
var<workgroup> seen_tile: array<u32, 16 * ROWS * LANES>;

var<private> sums: array<vec4f, 16>;  // the output, unnormalised

fn is_strange(x: vec4f) -> bool {
  return any((bitcast<vec4u>(x) & vec4u(0x7f800000)) == vec4u(0x7f800000));
}

// A vector of the output with the weighted values of 4 keys.
fn add(sum: vec4f, w: vec4f, v0: vec4f, v1: vec4f, v2: vec4f, v3: vec4f) -> vec4f {
  return fma(vec4f(w.w), v3, fma(vec4f(w.z), v2, fma(vec4f(w.y), v1, fma(vec4f(w.x), v0, sum))));
}

// Where the keys of a slot begin in kv_tile; they are 4 apart.
fn slot_keys(slot: u32) -> u32 {
  return (slot % 4u + slot / 4u * 16u) * PITCH;
}

// Adds the staged 32 columns of the weighted values, of which the lane has vectors x and
// x + 4. The sums are variables of their own, so that they stay in registers.
fn add_chunk(chunk: u32, x: u32, y: u32) {
  let c0 = 2u * chunk;
  let c1 = select(0u, COLUMNS, ROWS > 1u) + c0;
  let c2 = select(0u, 2u * COLUMNS, ROWS > 2u) + c0;
  let c3 = select(0u, 3u * COLUMNS, ROWS > 2u) + c0;
  var a0 = sums[c0];
  var b0 = sums[c0 + 1u];
  var a1 = sums[c1];
  var b1 = sums[c1 + 1u];
  var a2 = sums[c2];
  var b2 = sums[c2 + 1u];
  var a3 = sums[c3];
  var b3 = sums[c3 + 1u];
  for (var slot = 0u; slot < 8u; slot++) {
    let at = slot_keys(slot) + x;
    let v0 = kv_tile[at];
    let v1 = kv_tile[at + 4u * PITCH];
    let v2 = kv_tile[at + 8u * PITCH];
    let v3 = kv_tile[at + 12u * PITCH];
    let u0 = kv_tile[at + 4u];
    let u1 = kv_tile[at + 4u * PITCH + 4u];
    let u2 = kv_tile[at + 8u * PITCH + 4u];
    let u3 = kv_tile[at + 12u * PITCH + 4u];
    let w0 = weight_tile[tile_row(y, 0) * PITCH + slot];
    a0 = add(a0, w0, v0, v1, v2, v3);
    b0 = add(b0, w0, u0, u1, u2, u3);
    if (ROWS > 1u) {
      let w1 = weight_tile[tile_row(y, 1) * PITCH + slot];
      a1 = add(a1, w1, v0, v1, v2, v3);
      b1 = add(b1, w1, u0, u1, u2, u3);
    }
    if (ROWS > 2u) {
      let w2 = weight_tile[tile_row(y, 2) * PITCH + slot];
      a2 = add(a2, w2, v0, v1, v2, v3);
      b2 = add(b2, w2, u0, u1, u2, u3);
      let w3 = weight_tile[tile_row(y, 3) * PITCH + slot];
      a3 = add(a3, w3, v0, v1, v2, v3);
      b3 = add(b3, w3, u0, u1, u2, u3);
    }
  }
  if (ROWS > 2u) {
    sums[c3] = a3;
    sums[c3 + 1u] = b3;
    sums[c2] = a2;
    sums[c2 + 1u] = b2;
  }
  if (ROWS > 1u) {
    sums[c1] = a1;
    sums[c1 + 1u] = b1;
  }
  sums[c0] = a0;
  sums[c0 + 1u] = b0;
}

// The same, in the same order, for a tile with strange values: hidden ones count as 0.
fn add_chunk_carefully(chunk: u32, x: u32, y: u32) {
  for (var i = 0u; i < 2u * ROWS; i++) {
    let row = tile_row(y, i / 2u);
    let c = i / 2u * COLUMNS + 2u * chunk + i % 2u;
    for (var slot = 0u; slot < 8u; slot++) {
      let at = slot_keys(slot) + x + i % 2u * 4u;
      let s = half_of(seen_tile[row * LANES + slot % 4u], slot / 4u);
      sums[c] = add(sums[c], weight_tile[row * PITCH + slot],
                    select(vec4f(0), kv_tile[at], s.x),
                    select(vec4f(0), kv_tile[at + 4u * PITCH], s.y),
                    select(vec4f(0), kv_tile[at + 8u * PITCH], s.z),
                    select(vec4f(0), kv_tile[at + 12u * PITCH], s.w));
    }
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) id: vec3u,
        @builtin(num_workgroups) count: vec3u) {
  let workgroup = id.x + count.x * (id.y + count.y * id.z);
  if (workgroup >= u.heads * u.row_tiles) { return; }
  let tile = tile_of(workgroup);
  prepare_rows(tile, thread);
  let x = thread % LANES;
  let y = thread / LANES;
  let v_offset = tile.batch * u.v_batch + tile.kv_head * u.v_head;

  var maxima = vec4f(LOWEST);  // of the thread's rows
  var totals = vec4f(0);  // of the weights of this lane's keys

  for (var at = tile.list; at < tile.list_end; at++) {
    let key_tile = words[at] >> 1;
    let partly = (words[at] & 1u) > 0u;
    if (thread == 0u) { atomicStore(&strange, 0u); }
    score(tile, key_tile, partly, thread);

    let tops = largest_of_lanes(raised(maxima), thread);
    let shrink = exponential(maxima - tops);
    maxima = tops;
    totals = totals * shrink + weigh(tops);
    for (var r = 0u; r < ROWS; r++) {
      for (var c = 0u; c < COLUMNS; c++) { sums[r * COLUMNS + c] *= shrink[r]; }
      let row = tile_row(y, r) * PITCH;
      weight_tile[row + x] = scores[2u * r];
      weight_tile[row + 4u + x] = scores[2u * r + 1u];
      if (partly) { seen_tile[tile_row(y, r) * LANES + x] = seen[r]; }
    }

    for (var chunk = 0u; 4u * CHUNK * chunk < u.value_dim; chunk++) {
      for (var i = thread; i < KEYS * CHUNK; i += THREADS) {
        let key = key_tile * KEYS + i / CHUNK;
        var value = vec4f(0);
        if (key < u.keys) { value = load_v(v_offset + key * u.v_row, chunk * CHUNK + i % CHUNK); }
        kv_tile[i / CHUNK * PITCH + i % CHUNK] = value;
        if (partly && is_strange(value)) { atomicOr(&strange, 1u); }
      }
      workgroupBarrier();
      if (partly && atomicLoad(&strange) > 0u) {
        add_chunk_carefully(chunk, x, y);
      } else {
        add_chunk(chunk, x, y);
      }
      workgroupBarrier();
    }
  }

  totals = sum_of_lanes(totals, thread);
  for (var r = 0u; r < ROWS; r++) {
    if (tile.row + tile_row(y, r) >= u.rows) { continue; }
    // A row that saw a key has a total of at least 1: that of its largest score.
    let none = totals[r] == 0;
    for (var c = 0u; c < COLUMNS; c++) {
      let value = select(sums[r * COLUMNS + c] / totals[r], vec4f(0), none);
      store_output(row_output[r], c / 2u * CHUNK + c % 2u * 4u + x, value);
    }
  }
}
