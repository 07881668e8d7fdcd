// Keys and values by way of workgroup memory: works everywhere. EACH is 1: a thread has
// one row, whose scores and part of the output fit a GPU's registers. A chunk of a tile
// is staged by neighbouring threads from neighbouring places, and then all of them read
// the same vector at once, which workgroup memory hands out to all in one go.

var<workgroup> kv_tile: array<vec4f, KEYS * CHUNK>;

var<workgroup> found: atomic<u32>;
var<workgroup> any_found: u32;

// Gets the chunk of a tile's keys ready that begins with vector `first`.
fn stage_k(tile: Tile, first_key: u32, first: u32, thread: u32) {
  for (var i = thread; i < KEYS * CHUNK; i += THREADS) {
    kv_tile[i] = load_k(k_place(tile, first_key + i / CHUNK), first + i % CHUNK);
  }
  workgroupBarrier();
}

fn stage_v(tile: Tile, first_key: u32, first: u32, thread: u32) {
  for (var i = thread; i < KEYS * CHUNK; i += THREADS) {
    kv_tile[i] = load_v(v_place(tile, first_key + i / CHUNK), first + i % CHUNK);
  }
  workgroupBarrier();
}

fn unstage() {
  workgroupBarrier();
}

// Vector `first + c` of the i-th four keys, each in a column.
fn four_keys(i: u32, first: u32, c: u32) -> mat4x4f {
  let at = 4u * i * CHUNK + c;
  return mat4x4f(kv_tile[at], kv_tile[at + CHUNK], kv_tile[at + 2u * CHUNK], kv_tile[at + 3u * CHUNK]);
}

fn four_values(i: u32, first: u32, c: u32) -> mat4x4f {
  return four_keys(i, first, c);
}

// The r-th of the rows of a tile that a thread has.
fn own_row(thread: u32, r: u32) -> u32 {
  return thread;
}

// Which of four keys is in each column.
fn order(thread: u32) -> vec4u {
  return vec4u(0, 1, 2, 3);
}

// The column that a key is in.
fn column(key: u32, thread: u32) -> u32 {
  return key & 3u;
}

// Threads swap nothing here.
fn of_any_lane(x: bool) -> bool {
  return x;
}

// Whether `x` is true for a thread that has to take the same way as this one. Called
// once in a kernel.
fn of_any_thread(x: bool, thread: u32) -> bool {
  if (x) { atomicStore(&found, 1u); }
  workgroupBarrier();
  if (thread == 0u) { any_found = atomicLoad(&found); }
  return workgroupUniformLoad(&any_found) > 0u;
}
