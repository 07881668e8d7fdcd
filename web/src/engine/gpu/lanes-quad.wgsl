// Keys and values where a subgroup is a quad of 4 threads, as SwiftShader's is.
// A thread has up to 8 rows, a quad 4 times as many.
//
// SwiftShader runs a quad as one vector, and loads from memory for each lane by itself,
// number by number: any index but a constant costs it some 300 instructions for 4 floats,
// equal or not, and in workgroup memory a constant one too. So each lane loads a key of
// its own, and the quad swaps them: one load for 32 rows and 4 keys, nothing staged, no
// barrier. Twice the rows halve what loads take, and take a third longer to compile.
//
// Each lane has the four keys in an order of its own: column m is key m ^ lane. Lanes
// are counted by local_invocation_index, which the threads of a quad have in a row.

var<private> places: array<u32, FOURS>;  // of the keys or values that this lane loads

// Gets the chunk of a tile's keys ready that begins with vector `first`.
fn stage_k(tile: Tile, first_key: u32, first: u32, thread: u32) {
  /* unroll */ for (var i = 0u; i < FOURS; i++) { places[i] = k_place(tile, first_key + 4u * i + (thread & 3u)); }
}

fn stage_v(tile: Tile, first_key: u32, first: u32, thread: u32) {
  /* unroll */ for (var i = 0u; i < FOURS; i++) { places[i] = v_place(tile, first_key + 4u * i + (thread & 3u)); }
}

fn unstage() {}

// Vector `first + c` of the i-th four keys, each in a column.
fn four_keys(i: u32, first: u32, c: u32) -> mat4x4f {
  return swapped(load_k(places[i], first + c));
}

fn four_values(i: u32, first: u32, c: u32) -> mat4x4f {
  return swapped(load_v(places[i], first + c));
}

fn swapped(own: vec4f) -> mat4x4f {
  return mat4x4f(own, quadSwapX(own), quadSwapY(own), quadSwapDiagonal(own));
}

// The r-th of the rows of a tile that a thread has: a quad has 4 * EACH side by side, which
// see the same keys but for a few.
fn own_row(thread: u32, r: u32) -> u32 {
  return (thread >> 2u) * 4u * EACH + 4u * r + (thread & 3u);
}

// Which of four keys is in each column.
fn order(thread: u32) -> vec4u {
  return vec4u(0, 1, 2, 3) ^ vec4u(thread & 3u);
}

// The column that a key is in.
fn column(key: u32, thread: u32) -> u32 {
  return (key ^ thread) & 3u;
}

// Whether `x` is true for a thread that swaps with this one.
fn of_any_lane(x: bool) -> bool {
  return subgroupAny(x);
}

// Whether `x` is true for a thread that has to take the same way as this one.
fn of_any_thread(x: bool, thread: u32) -> bool {
  return subgroupAny(x);
}
