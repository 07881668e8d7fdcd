// What the SIMD kernels iterate over: the rows of a KV head, and runs of keys.
#pragma once

#include <algorithm>
#include <limits>

#include "checked.hpp"

namespace attention {

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// Consecutive keys.
struct Keys {
    std::int64_t first;
    std::int64_t count;
};

// Consecutive rows of a KV head in one batch item. The queries of all heads of a
// group read the same keys, so they go together, ordered by position: row r is
// query r / group of the group's head r % group.
struct Rows {
    std::int64_t batch;
    std::int64_t kv_head;
    std::int64_t group;  // query heads of the KV head
    std::int64_t first;
    std::int64_t count;

    std::int64_t query(std::int64_t row) const { return (first + row) / group; }
    std::int64_t head(std::int64_t row) const { return kv_head * group + (first + row) % group; }
    std::int64_t queries() const { return query(count - 1) - query(0) + 1; }

    Rows part(std::int64_t from, std::int64_t most) const {
        return {batch, kv_head, group, first + from, std::min(most, count - from)};
    }
};

// Calls visit(rows) for the rows of each batch item and KV head, at most `most` at
// a time.
template <class Visit>
void each_run_of_rows(const Shape& shape, std::int64_t most, Visit visit) {
    for (std::int64_t b = 0; b < shape.batch; ++b) {
        for (std::int64_t h = 0; h < shape.kv_heads; ++h) {
            const Rows all{b, h, shape.group(), 0, shape.group() * shape.queries};
            for (std::int64_t row = 0; row < all.count; row += most) visit(all.part(row, most));
        }
    }
}

// The part of `keys` that rows can reach, from a multiple of `step` after
// keys.first on. Nothing is left if the count is not positive.
inline Keys within_reach(const Checked& p, const Rows& rows, const Keys& keys, std::int64_t step) {
    const Mask::Keys reach = p.mask.reach(rows.batch, rows.query(0), rows.queries(), p.shape.keys);
    const std::int64_t skipped = std::max<std::int64_t>(reach.begin - keys.first, 0);
    const std::int64_t first = keys.first + skipped / step * step;
    return {first, std::min(reach.end, keys.first + keys.count) - first};
}

// What rows see of some keys, over all heads of their group.
inline Sight classify(const Mask& mask, const Rows& rows, const Keys& keys) {
    const bool heads_differ = mask.has_allowed() || mask.has_bias();
    const std::int64_t heads = heads_differ ? rows.group : 1;
    Sight together = Sight::none;
    for (std::int64_t g = 0; g < heads; ++g) {
        const Sight sight = mask.classify(rows.batch, rows.kv_head * rows.group + g, rows.query(0),
                                          rows.queries(), keys.first, keys.count);
        if (g == 0) together = sight;
        if (sight != together || sight == Sight::some) return Sight::some;
    }
    return together;
}

}  // namespace attention
