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

/// Cuts a problem into parts for `workers` workers, some for each, so that the
/// cost of late rows under a causal mask evens out: whole heads where there are
/// enough, runs of queries otherwise, the costly last ones first. Solved by the
/// kernel that kernel_for() names for the whole, the parts give the whole's output
/// bit for bit. Needs a problem that validate() accepts; `workers` at least 1.
std::vector<Part> split(const Problem& problem, std::int64_t workers);

}  // namespace attention
