// Rows and keys where a thread has one row, and four keys in their own order.

// The r-th of the rows of a tile that a thread has.
fn own_row(thread: Thread, r: u32) -> u32 {
  return thread.index;
}

// Which of four keys is in each column.
fn order(thread: Thread) -> vec4u {
  return vec4u(0, 1, 2, 3);
}

// The column that a key is in.
fn column(key: u32, thread: Thread) -> u32 {
  return key & 3u;
}
