// What both kernels share: where a thread stands, the mask, and the scores of a tile.
//
// A workgroup takes a tile of ROWS rows of one KV head, and 32 keys at a time. A thread
// has EACH of the rows as a whole, with scores, maximum and sums. How it gets at keys and
// values is what the files lanes-*.wgsl differ in.
//
// Some loops have one turn at most where an `if` would do: SwiftShader computes both
// sides of an `if`, and jumps over loops only. Loops over a thread's rows that do little
// are left as loops: each copy of them is read and compiled again.
//
// Compilers of WGSL may assume that there is no NaN and no infinity, so whoever has to
// know looks at the bits.

const KEYS = 32u;
const FOURS = 8u;  // the keys of a tile, four by four
const COLUMNS = 4u;  // the keys or the features of a vector
const CHUNK = 8u;  // vectors of a row that are worked on at once

// What a pipeline is made for. EACH and CHUNKS size a thread's own arrays, which WGSL does
// not let an override do: pipelines.ts writes them above this text.
override ROWS: u32;
override CAPPED: bool;
override THREADS = ROWS / EACH;

const MINUS_INFINITY = 0xff800000u;  // its bits
const LOWEST = -0x1.fffffep+127f;  // stands for -infinity, which WGSL cannot spell

@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;

// Of the thread's rows: the scores, and a bit for each key that is seen.
var<private> scores: array<vec4f, EACH * FOURS>;
var<private> seen: array<u32, EACH>;

// The tile of rows that a workgroup has: heads side by side, the late rows first,
// which see most under a causal mask.
struct Tile {
  batch: u32,
  kv_head: u32,
  row: u32,  // the first one
  list: u32,  // where the list of key tiles begins
  list_end: u32,
  k: u32,  // where the head's keys and values begin
  v: u32,
}

fn tile_of(workgroup: u32) -> Tile {
  let head = workgroup % u.heads;
  let row_tile = u.row_tiles - 1u - workgroup / u.heads;
  let batch = head / u.kv_heads;
  let kv_head = head % u.kv_heads;
  let list = u.lists_at + batch * u.lists_batch + kv_head * u.lists_head + row_tile;
  return Tile(batch, kv_head, row_tile * ROWS, words[list], words[list + 1u],
              batch * u.k_batch + kv_head * u.k_head, batch * u.v_batch + kv_head * u.v_head);
}

// A row: the positions that it sees, and where its data begin.
struct Row {
  exists: bool,
  first: i32,
  last: i32,
  q: u32,  // as place_of() has it
  allowed: u32,
  bias: u32,
  output: u32,  // the number of its first value
}

var<private> rows: array<Row, EACH>;

fn prepare_rows(tile: Tile, thread: Thread) {
  /* unroll */ for (var r = 0u; r < EACH; r++) { rows[r] = row_of(tile, tile.row + own_row(thread, r)); }
}

fn row_of(tile: Tile, number: u32) -> Row {
  let row = min(number, u.rows - 1u);
  let query = row / u.group;
  let head = tile.kv_head * u.group + row % u.group;
  let range = u.ranges_at + tile.batch * u.ranges_batch + 2u * query;
  return Row(number < u.rows, bitcast<i32>(words[range]), bitcast<i32>(words[range + 1u]),
             place_of(tile.batch * u.q_batch + head * u.q_head + query * u.q_row),
             u.allowed_at + tile.batch * u.allowed_batch + head * u.allowed_head + query * u.allowed_query,
             tile.batch * u.bias_batch + head * u.bias_head + query * u.bias_query,
             tile.batch * u.output_batch + head * u.output_head + query * u.output_row);
}

// scores = mask(cap(scale * q k^T) + bias) for the thread's rows and the tile's keys.
// `partly`: some pair of the tile is hidden or has a bias.
fn score(tile: Tile, first_key: u32, partly: bool, thread: Thread) {
  for (var r = 0u; r < EACH; r++) {
    seen[r] = select(0u, 0xffffffffu, rows[r].exists);
    for (var turn = partly; turn; turn = false) { seen[r] &= seen_by_rules(tile, rows[r], first_key); }
  }
  let any_seen = sees_any();
  scores = array<vec4f, EACH * FOURS>();
  for (var first = 0u; 4u * first < u.head_dim; first += CHUNK) {
    stage_k(tile, first_key, first, thread);
    let count = select(0u, vectors_of(u.head_dim, first), any_seen);
    for (var c = 0u; c < count; c++) { score_vector(first, c); }
    unstage();
  }
  /* unroll */ for (var r = 0u; r < EACH; r++) {
    /* unroll */ for (var i = 0u; i < FOURS; i++) {
      let scaled = scores[r * FOURS + i] * u.scale;
      if (CAPPED) { scores[r * FOURS + i] = capped(scaled); } else { scores[r * FOURS + i] = scaled; }
    }
  }
  for (var turn = partly; turn; turn = false) { mask(first_key, thread); }
}

// How many vectors of a row of `dim` are in the chunk that begins with vector `first`.
fn vectors_of(dim: u32, first: u32) -> u32 {
  return min(CHUNK, (dim + 3u) / 4u - first);
}

// Whether some row sees some key of the tile, of the thread's and those it swaps with.
fn sees_any() -> bool {
  var any = 0u;
  /* unroll */ for (var r = 0u; r < EACH; r++) { any |= seen[r]; }
  return of_any_lane(any > 0u);
}

// Adds 4 features' part of q k^T. A key at a time for all rows, and a sum of products and
// not a product with a matrix: so SwiftShader, which has 16 registers, keeps little aside.
fn score_vector(first: u32, c: u32) {
  fetch_k(first, c);
  var q4: array<vec4f, EACH>;
  /* unroll */ for (var r = 0u; r < EACH; r++) { q4[r] = load_q(rows[r].q, first + c); }
  /* unroll */ for (var i = 0u; i < FOURS; i++) {
    let k = four_keys(i, first, c);
    /* unroll */ for (var m = 0u; m < COLUMNS; m++) {
      /* unroll */ for (var r = 0u; r < EACH; r++) { scores[r * FOURS + i][m] += dot(q4[r], k[m]); }
    }
  }
}

// The keys of a tile that the row sees by position and boolean mask, a bit each.
fn seen_by_rules(tile: Tile, row: Row, first_key: u32) -> u32 {
  let count = min(KEYS, u.keys - first_key);
  var visible = first_bits(i32(count));
  if (u.allowed_at > 0u) { visible &= words[row.allowed + first_key / KEYS]; }
  if (u.key_positions_at == 0u) {
    let zero = i32(first_key);
    let begin = clamp(row.first, zero, zero + 32) - zero;
    let end = clamp(row.last, zero - 1, zero + 31) - zero + 1;
    visible &= first_bits(end) & ~first_bits(begin);
  }
  let positions = u.key_positions_at + tile.batch * u.key_positions_batch + first_key;
  for (var j = 0u; j < select(0u, count, u.key_positions_at > 0u); j++) {
    let position = bitcast<i32>(words[positions + j]);
    if (position < row.first || position > row.last) { visible &= ~(1u << j); }
  }
  return visible;
}

// The first `count` of 32 bits.
fn first_bits(count: i32) -> u32 {
  return select((1u << u32(count)) - 1u, 0xffffffffu, count >= 32);
}

// Adds the bias, and hides what is -infinity with it, however it came about.
fn mask(first_key: u32, thread: Thread) {
  var added = array<vec4f, EACH * FOURS>();
  for (var r = 0u; r < select(0u, EACH, u.has_bias > 0u); r++) {
    for (var j = 0u; j < min(KEYS, u.keys - first_key); j++) {
      let value = bias[rows[r].bias + (first_key + j) * u.bias_key];
      added[r * FOURS + (j >> 2u)][column(j, thread)] = value;
      if (bitcast<u32>(value) == MINUS_INFINITY) { seen[r] &= ~(1u << j); }
    }
  }
  /* unroll */ for (var r = 0u; r < EACH; r++) {
    var visible = seen[r];
    /* unroll */ for (var i = 0u; i < FOURS; i++) {
      let value = scores[r * FOURS + i] + added[r * FOURS + i];
      let bits = select(vec4u(0), vec4u(1) << order(thread), bitcast<vec4u>(value) == vec4u(MINUS_INFINITY));
      visible &= ~((bits.x | bits.y | bits.z | bits.w) << (4u * i));
      scores[r * FOURS + i] = select(vec4f(LOWEST), value, seen_of(visible, i, thread));
    }
    seen[r] = visible;
  }
}

// Which of the i-th four keys are seen, column by column.
fn seen_of(bits: u32, i: u32, thread: Thread) -> vec4<bool> {
  return (vec4u(bits >> (4u * i)) & (vec4u(1) << order(thread))) != vec4u(0);
}

// The larger of `maximum` and the scores of the keys that row r sees.
fn raised(r: u32, maximum: f32) -> f32 {
  var tops = vec4f(maximum);
  /* unroll */ for (var i = 0u; i < FOURS; i++) {
    tops = larger(tops, scores[r * FOURS + i]);
  }
  return max(max(tops.x, tops.y), max(tops.z, tops.w));
}

// Turns scores of row r into weights, exp(score - maximum), 0 for a hidden key; gives
// their sum.
fn weigh(r: u32, maximum: f32) -> f32 {
  // A row that sees no key yet has no maximum, and its scores are LOWEST.
  let top = select(maximum, 0.0, maximum == LOWEST);
  var sums = vec4f(0);
  /* unroll */ for (var i = 0u; i < FOURS; i++) {
    let weights = exponential(scores[r * FOURS + i] - top);
    scores[r * FOURS + i] = weights;
    sums += weights;
  }
  return (sums.x + sums.y) + (sums.z + sums.w);  // in pairs, see weighted()
}

// The weighted sum of a feature of four keys' values. In pairs, so that the order of
// columns that a lane has changes no bit.
fn weighted(v0: f32, v1: f32, v2: f32, v3: f32, w: vec4f) -> f32 {
  return (v0 * w.x + v1 * w.y) + (v2 * w.z + v3 * w.w);
}

// Where the rows of a key and its value begin. Those behind the last key are hidden.
fn k_place(tile: Tile, key: u32) -> u32 {
  return place_of(tile.k + min(key, u.keys - 1u) * u.k_row);
}

fn v_place(tile: Tile, key: u32) -> u32 {
  return place_of(tile.v + min(key, u.keys - 1u) * u.v_row);
}

// exp(x) for x <= 0: the core's own (exponential.hpp has its bound). WGSL allows its
// exp() an error of 3 + 2|x| units in the last place. Below -87.7 the result is 0.
fn exponential(x: vec4f) -> vec4f {
  let bounded = larger(x, vec4f(-88));
  // Beside 1.5 * 2^23 a number is an integer, and that is the sum's last bits: round() and
  // a shift take SwiftShader ten times as long.
  let whole = bitcast<vec4i>(fma(bounded, vec4f(1.44269504), vec4f(12582912))) - vec4i(0x4b400000);
  let f = fma(bounded, vec4f(1.44269504), -vec4f(whole));
  var power = fma(f, vec4f(0.00132647387), vec4f(0.00967151668));
  power = fma(power, f, vec4f(0.0555073375));
  power = fma(power, f, vec4f(0.240222420));
  power = fma(power, f, vec4f(0.693146978));
  power = fma(power, f, vec4f(1));
  let scaled = power * bitcast<vec4f>((whole + vec4i(127)) * vec4i(0x800000));
  return select(scaled, x, is_nan(x));
}

// max(), which SwiftShader has NaN looked after in.
fn larger(a: vec4f, b: vec4f) -> vec4f {
  return select(a, b, a < b);
}

fn is_nan(x: vec4f) -> vec4<bool> {
  return (bitcast<vec4i>(x) & vec4i(0x7fffffff)) > vec4i(0x7f800000);
}

fn capped(x: vec4f) -> vec4f {
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
