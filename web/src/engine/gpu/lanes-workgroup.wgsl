// Keys and values by way of workgroup memory: works everywhere. EACH is 1: a thread has
// one row, whose scores and part of the output fit a GPU's registers. A chunk of a tile
// is staged by neighbouring threads from neighbouring places, and then all of them read
// the same vector at once, which workgroup memory hands out to all in one go. Where there
// are subgroups they vote (vote-*.wgsl): a tile's products are skipped where no row of a
// subgroup sees a key, by a branch that its threads take as one.

struct Thread {
  @builtin(local_invocation_index) index: u32,
}

var<workgroup> kv_tile: array<vec4f, KEYS * CHUNK>;

var<workgroup> found: atomic<u32>;
var<workgroup> any_found: u32;

// Gets the chunk of a tile's keys ready that begins with vector `first`.
fn stage_k(tile: Tile, first_key: u32, first: u32, thread: Thread) {
  for (var i = thread.index; i < KEYS * CHUNK; i += THREADS) {
    kv_tile[i] = load_k(k_place(tile, first_key + i / CHUNK), first + i % CHUNK);
  }
  workgroupBarrier();
}

fn stage_v(tile: Tile, first_key: u32, first: u32, thread: Thread) {
  for (var i = thread.index; i < KEYS * CHUNK; i += THREADS) {
    kv_tile[i] = load_v(v_place(tile, first_key + i / CHUNK), first + i % CHUNK);
  }
  workgroupBarrier();
}

fn unstage() {
  workgroupBarrier();
}

// Gets vector `first + c` of the keys: it is staged.
fn fetch_k(first: u32, c: u32) {}

fn fetch_v(first: u32, c: u32) {}

// Vector `first + c` of the i-th four keys, each in a column.
fn four_keys(i: u32, first: u32, c: u32) -> mat4x4f {
  let at = 4u * i * CHUNK + c;
  return mat4x4f(kv_tile[at], kv_tile[at + CHUNK], kv_tile[at + 2u * CHUNK], kv_tile[at + 3u * CHUNK]);
}

fn four_values(i: u32, first: u32, c: u32) -> mat4x4f {
  return four_keys(i, first, c);
}

// Whether `x` is true for a thread that has to take the same way as this one. Called
// once in a kernel.
fn of_any_thread(x: bool, thread: Thread) -> bool {
  if (of_any_lane(x)) { atomicStore(&found, 1u); }
  workgroupBarrier();
  if (thread.index == 0u) { any_found = atomicLoad(&found); }
  return workgroupUniformLoad(&any_found) > 0u;
}
