// Keys and values where a subgroup is a quad of 4 threads, as SwiftShader's is: LANES is 4.
// A thread has up to 8 rows, a quad 4 times as many.
//
// SwiftShader runs a quad as one vector, and loads from memory for each lane by itself,
// number by number: any index but a constant costs it some 300 instructions for 4 floats,
// equal or not, and in workgroup memory a constant one too. So each lane loads a key of
// its own, and the quad swaps them: one load for 32 rows and 4 keys. Twice the rows halve
// what loads take, and take a third longer to compile.
//
// Each lane has the four keys in an order of its own: column m is key m ^ lane. Lanes
// are counted by local_invocation_index, which the threads of a quad have in a row.

struct Thread {
  @builtin(local_invocation_index) index: u32,
}

fn lane_of(thread: Thread) -> u32 {
  return thread.index & 3u;
}

// Gets vector `first + c` of this lane's keys: four_keys() does, four by four.
fn fetch_k(first: u32, c: u32) {}

fn fetch_v(first: u32, c: u32) {}

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
fn own_row(thread: Thread, r: u32) -> u32 {
  return (thread.index >> 2u) * 4u * EACH + 4u * r + lane_of(thread);
}

// Which of four keys is in each column.
fn order(thread: Thread) -> vec4u {
  return vec4u(0, 1, 2, 3) ^ vec4u(lane_of(thread));
}

// The column that a key is in.
fn column(key: u32, thread: Thread) -> u32 {
  return (key ^ thread.index) & 3u;
}
