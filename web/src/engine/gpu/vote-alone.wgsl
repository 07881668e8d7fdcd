// Where there are no subgroups each thread takes its own way.

// Whether `x` is true for a thread of the subgroup, as far as this one knows.
fn of_any_lane(x: bool) -> bool {
  return x;
}
