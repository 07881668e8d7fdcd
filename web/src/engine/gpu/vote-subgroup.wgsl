// Threads of a subgroup take the same way, where there are subgroups.

// Whether `x` is true for a thread of the subgroup.
fn of_any_lane(x: bool) -> bool {
  return subgroupAny(x);
}
