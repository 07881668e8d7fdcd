// What both kernels share: where a workgroup stands, the mask, and scores of a tile.
//
// A workgroup of 64 threads takes 16 * ROWS rows of one KV head: 16 groups of 4
// lanes, a group for every ROWS rows, 16 apart. Lane x of a group holds the scores of
// keys x, x + 4, x + 8 ... x + 28 of a tile of 32. q and k are staged in workgroup
// memory 32 features at a time, so each is read once for 32 keys or 16 * ROWS rows.
//
// Compilers of WGSL may assume that there is no NaN and no infinity, so whoever has to
// know looks at the bits.

override ROWS: u32;

const LANES = 4u;
const THREADS = 64u;
const KEYS = 32u;
const CHUNK = 8u;  // vectors of a row that are staged at once
const PITCH = 9u;  // one more keeps rows apart in the banks of workgroup memory

const MINUS_INFINITY = 0xff800000u;  // its bits
const LOWEST = -0x1.fffffep+127f;  // stands for -infinity, which WGSL cannot spell

@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;

var<workgroup> q_tile: array<vec4f, 16 * ROWS * PITCH>;
var<workgroup> kv_tile: array<vec4f, KEYS * PITCH>;
var<workgroup> q_offsets: array<u32, 16 * ROWS>;

// Of a thread's rows: the scores, 8 keys in two vectors, and which of them are seen.
var<private> scores: array<vec4f, 8>;
var<private> seen: array<u32, 4>;
var<private> row_first: array<i32, 4>;  // positions that the row sees
var<private> row_last: array<i32, 4>;
var<private> row_allowed: array<u32, 4>;
var<private> row_bias: array<u32, 4>;
var<private> row_output: array<u32, 4>;

// The tile of rows that a workgroup has: heads side by side, the late rows first,
// which see most under a causal mask.
struct Tile {
  batch: u32,
  kv_head: u32,
  row: u32,  // the first one
  list: u32,  // where the list of key tiles begins
  list_end: u32,
}

fn tile_of(workgroup: u32) -> Tile {
  let head = workgroup % u.heads;
  let row_tile = u.row_tiles - 1u - workgroup / u.heads;
  let batch = head / u.kv_heads;
  let kv_head = head % u.kv_heads;
  let list = u.lists_at + batch * u.lists_batch + kv_head * u.lists_head + row_tile;
  return Tile(batch, kv_head, row_tile * 16u * ROWS, words[list], words[list + 1u]);
}

// Row r of the tile that group y has as its r-th one.
fn tile_row(y: u32, r: u32) -> u32 {
  return y + 16u * r;
}

fn prepare_rows(tile: Tile, thread: u32) {
  for (var r = thread; r < 16u * ROWS; r += THREADS) {
    let row = min(tile.row + r, u.rows - 1u);
    let head = tile.kv_head * u.group + row % u.group;
    q_offsets[r] = tile.batch * u.q_batch + head * u.q_head + row / u.group * u.q_row;
  }
  for (var r = 0u; r < ROWS; r++) {
    let row = min(tile.row + tile_row(thread / LANES, r), u.rows - 1u);
    let query = row / u.group;
    let head = tile.kv_head * u.group + row % u.group;
    let range = u.ranges_at + tile.batch * u.ranges_batch + 2u * query;
    row_first[r] = bitcast<i32>(words[range]);
    row_last[r] = bitcast<i32>(words[range + 1u]);
    row_allowed[r] = u.allowed_at + tile.batch * u.allowed_batch + head * u.allowed_head + query * u.allowed_query;
    row_bias[r] = tile.batch * u.bias_batch + head * u.bias_head + query * u.bias_query;
    row_output[r] = tile.batch * u.output_batch + head * u.output_head + query * u.output_row;
  }
  workgroupBarrier();
}

// scores = mask(cap(scale * q k^T) + bias) for the thread's rows and keys. `partly`:
// some pair of the tile is hidden or has a bias.
fn score(tile: Tile, key_tile: u32, partly: bool, thread: u32) {
  let x = thread % LANES;
  let y = thread / LANES;
  scores = array<vec4f, 8>();
  let k_offset = tile.batch * u.k_batch + tile.kv_head * u.k_head;
  for (var first = 0u; 4u * first < u.head_dim; first += CHUNK) {
    for (var at = thread; at < 16u * ROWS * CHUNK; at += THREADS) {
      let row = at / CHUNK;
      let c = at % CHUNK;
      q_tile[row * PITCH + c] = load_q(q_offsets[row], first + c);
    }
    for (var at = thread; at < KEYS * CHUNK; at += THREADS) {
      let key = key_tile * KEYS + at / CHUNK;
      let c = at % CHUNK;
      var value = vec4f(0);
      if (key < u.keys) { value = load_k(k_offset + key * u.k_row, first + c); }
      kv_tile[at / CHUNK * PITCH + c] = value;
    }
    workgroupBarrier();
    score_chunk(x, y);
    workgroupBarrier();
  }
  for (var i = 0u; i < 2u * ROWS; i++) { scores[i] = capped(scores[i] * u.scale); }
  for (var r = 0u; r < ROWS; r++) {
    seen[r] = 0xffu;
    if (partly) { mask_row(tile, key_tile, x, r); }
  }
}

// Adds the staged features' part of q k^T. The sums are variables of their own, not an
// array, so that they stay in registers.
fn score_chunk(x: u32, y: u32) {
  var a0 = scores[0];
  var b0 = scores[1];
  var a1 = scores[2];
  var b1 = scores[3];
  var a2 = scores[4];
  var b2 = scores[5];
  var a3 = scores[6];
  var b3 = scores[7];
  for (var c = 0u; c < CHUNK; c++) {
    let at = x * PITCH + c;
    let k0 = kv_tile[at];
    let k1 = kv_tile[at + 4u * PITCH];
    let k2 = kv_tile[at + 8u * PITCH];
    let k3 = kv_tile[at + 12u * PITCH];
    let k4 = kv_tile[at + 16u * PITCH];
    let k5 = kv_tile[at + 20u * PITCH];
    let k6 = kv_tile[at + 24u * PITCH];
    let k7 = kv_tile[at + 28u * PITCH];
    let q0 = q_tile[tile_row(y, 0) * PITCH + c];
    a0 += dots(q0, k0, k1, k2, k3);
    b0 += dots(q0, k4, k5, k6, k7);
    if (ROWS > 1u) {
      let q1 = q_tile[tile_row(y, 1) * PITCH + c];
      a1 += dots(q1, k0, k1, k2, k3);
      b1 += dots(q1, k4, k5, k6, k7);
    }
    if (ROWS > 2u) {
      let q2 = q_tile[tile_row(y, 2) * PITCH + c];
      a2 += dots(q2, k0, k1, k2, k3);
      b2 += dots(q2, k4, k5, k6, k7);
      let q3 = q_tile[tile_row(y, 3) * PITCH + c];
      a3 += dots(q3, k0, k1, k2, k3);
      b3 += dots(q3, k4, k5, k6, k7);
    }
  }
  scores = array<vec4f, 8>(a0, b0, a1, b1, a2, b2, a3, b3);
}

fn dots(q4: vec4f, k0: vec4f, k1: vec4f, k2: vec4f, k3: vec4f) -> vec4f {
  return vec4f(dot(q4, k0), dot(q4, k1), dot(q4, k2), dot(q4, k3));
}

fn mask_row(tile: Tile, key_tile: u32, x: u32, r: u32) {
  var allowed = 0xffffffffu;
  if (u.allowed_at > 0u) { allowed = words[row_allowed[r] + key_tile]; }
  var visible = 0u;
  for (var j = 0u; j < 8u; j++) {
    let key = key_tile * KEYS + x + 4u * j;
    if (key >= u.keys) { break; }
    var position = i32(key);
    if (u.key_positions_at > 0u) {
      position = bitcast<i32>(words[u.key_positions_at + tile.batch * u.key_positions_batch + key]);
    }
    let in_range = row_first[r] <= position && position <= row_last[r];
    var value = scores[2u * r + j / 4u][j % 4u];
    var added = 0.0;
    if (u.has_bias > 0u) { added = bias[row_bias[r] + key * u.bias_key]; }
    value += added;
    // A bias or a score of -infinity hides its key, however it came about.
    let endless = bitcast<u32>(added) == MINUS_INFINITY || bitcast<u32>(value) == MINUS_INFINITY;
    let shown = in_range && ((allowed >> (x + 4u * j)) & 1u) > 0u && !endless;
    visible |= select(0u, 1u << j, shown);
    scores[2u * r + j / 4u][j % 4u] = select(LOWEST, value, shown);
  }
  seen[r] = visible;
}

// Which of a half's 4 keys are seen, of 8 bits.
fn half_of(bits: u32, half: u32) -> vec4<bool> {
  return (vec4u(bits >> (4u * half)) & vec4u(1, 2, 4, 8)) > vec4u(0);
}

fn seen_of(r: u32, half: u32) -> vec4<bool> {
  return half_of(seen[r], half);
}

// The largest of `maxima` and the scores of the thread's keys, for each of its rows;
// hidden keys don't count.
fn raised(maxima: vec4f) -> vec4f {
  var tops = maxima;
  for (var i = 0u; i < 2u * ROWS; i++) {
    let four = select(vec4f(LOWEST), scores[i], seen_of(i / 2u, i % 2u));
    tops[i / 2u] = max(tops[i / 2u], max(max(four.x, four.y), max(four.z, four.w)));
  }
  return tops;
}

// Turns scores into weights, exp(score - maximum), 0 for a hidden key; gives their sum
// for each row.
fn weigh(maxima: vec4f) -> vec4f {
  var totals = vec4f(0);
  for (var i = 0u; i < 2u * ROWS; i++) {
    let r = i / 2u;
    scores[i] = select(vec4f(0), exponential(scores[i] - maxima[r]), seen_of(r, i % 2u));
    totals[r] += (scores[i].x + scores[i].y) + (scores[i].z + scores[i].w);
  }
  return totals;
}

// exp(x) for x <= 0: the core's own (exponential.hpp has its bound). WGSL allows its
// exp() an error of 3 + 2|x| units in the last place. Below -87 the result is 0.
fn exponential(x: vec4f) -> vec4f {
  let bounded = max(x, vec4f(-88));
  let whole = round(bounded * 1.44269504);
  let f = fma(bounded, vec4f(1.44269504), -whole);
  var power = fma(f, vec4f(0.00132647387), vec4f(0.00967151668));
  power = fma(power, f, vec4f(0.0555073375));
  power = fma(power, f, vec4f(0.240222420));
  power = fma(power, f, vec4f(0.693146978));
  power = fma(power, f, vec4f(1));
  let scaled = bitcast<vec4f>(bitcast<vec4i>(power) + (vec4i(whole) << vec4u(23)));
  return select(select(scaled, vec4f(0), x < vec4f(-87)), x, is_nan(x));
}

fn is_nan(x: vec4f) -> vec4<bool> {
  return (bitcast<vec4u>(x) & vec4u(0x7fffffff)) > vec4u(0x7f800000);
}

fn capped(x: vec4f) -> vec4f {
  if (u.softcap == 0) { return x; }
  return u.softcap * hyperbolic_tangent(x / u.softcap);
}

// WGSL allows its tanh() an error of 1e-5. This is Cephes' tanhf (Moshier): a
// polynomial near 0, where 1 - 2 / (exp(2x) + 1) would cancel.
fn hyperbolic_tangent(x: vec4f) -> vec4f {
  let square = x * x;
  var near = fma(square, vec4f(-5.70498872745e-3), vec4f(2.06390887954e-2));
  near = fma(near, square, vec4f(-5.37397155531e-2));
  near = fma(near, square, vec4f(1.33314422036e-1));
  near = fma(near, square, vec4f(-3.33332819422e-1));
  near = fma(near * square, x, x);
  let small = exponential(-2.0 * abs(x));
  let far = sign(x) * ((1.0 - small) / (1.0 + small));
  return select(select(far, near, abs(x) < vec4f(0.625)), x, is_nan(x));
}
