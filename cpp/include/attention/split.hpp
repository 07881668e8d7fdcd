// How one problem is shared out over workers that have no memory in common.
#pragma once

#include <cstdint>
#include <vector>

#include "attention/attention.hpp"

namespace attention {

/// Queries [first_query, first_query + queries) of all heads that read one KV head
/// of one batch item: a problem of its own over keys and values [0, keys) of that
/// head, which are all that these queries can reach.
struct Part {
    std::int64_t batch = 0;
    std::int64_t kv_head = 0;
    std::int64_t first_query = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
};

/// Cuts a problem into parts for `workers` workers, the larger first, so that the small
/// ones even out what the workers have done until then (guided self-scheduling:
/// Polychronopoulos & Kuck 1987): a head stays whole as long as there are more heads than
/// workers; the last ones are cut into runs of queries, those that see most keys first.
/// Every part has its keys and values copied to the worker, so there are no more than
/// that. Solved by the kernel that kernel_for() names for the whole, the parts give the
/// whole's output bit for bit. Needs a problem that validate() accepts; `workers` at
/// least 1.
std::vector<Part> split(const Problem& problem, std::int64_t workers);

}  // namespace attention
