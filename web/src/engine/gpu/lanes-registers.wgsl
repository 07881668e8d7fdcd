// Keys and values by way of registers, where there are subgroups. LANES neighbouring threads
// load a vector of a key each, and hand them round: nothing is staged and there is no
// barrier. A thread loads for KEYS / LANES keys of a tile, one in each LANES of them.
//
// How they are handed round is what lanes-quad.wgsl and lanes-subgroup.wgsl differ in.

const LOADS = KEYS / LANES;

var<private> places: array<u32, LOADS>;  // of the keys or values that this lane loads

// Gets the chunk of a tile's keys ready that begins with vector `first`.
fn stage_k(tile: Tile, first_key: u32, first: u32, thread: Thread) {
  /* unroll */ for (var n = 0u; n < LOADS; n++) { places[n] = k_place(tile, first_key + LANES * n + lane_of(thread)); }
}

fn stage_v(tile: Tile, first_key: u32, first: u32, thread: Thread) {
  /* unroll */ for (var n = 0u; n < LOADS; n++) { places[n] = v_place(tile, first_key + LANES * n + lane_of(thread)); }
}

fn unstage() {}

// Whether `x` is true for a thread that has to take the same way as this one.
fn of_any_thread(x: bool, thread: Thread) -> bool {
  return of_any_lane(x);
}
