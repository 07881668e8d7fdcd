#include "attention/split.hpp"

#include <algorithm>

namespace attention {

namespace {

/// Parts for each worker, at least: enough to even out their unequal costs, and what
/// the thread that hands them out takes from one of the workers.
constexpr std::int64_t parts_per_worker = 6;

/// A part reads the keys and values of its head anew, so it has at least as many rows
/// as the tiled kernel holds at once.
constexpr std::int64_t least_rows = 256;

std::int64_t rounded_up(std::int64_t count, std::int64_t step) {
    return (count + step - 1) / step * step;
}

}  // namespace

std::vector<Part> split(const Problem& problem, std::int64_t workers) {
    const Shape& s = problem.shape;
    const std::int64_t heads = s.batch * s.kv_heads;
    std::vector<Part> parts;
    if (heads == 0 || s.queries == 0) return parts;
    Mask mask;
    if (!Mask::resolve(s, problem.mask, mask).ok()) return parts;

    const std::int64_t wanted = rounded_up(workers * parts_per_worker, heads) / heads;
    const std::int64_t least = rounded_up(least_rows, s.group()) / s.group();
    const std::int64_t run = std::max(least, rounded_up(s.queries, wanted) / wanted);
    const std::int64_t runs = rounded_up(s.queries, run) / run;
    for (std::int64_t r = runs; r-- > 0;) {
        const std::int64_t first = r * run;
        const std::int64_t queries = std::min(run, s.queries - first);
        for (std::int64_t b = 0; b < s.batch; ++b) {
            for (std::int64_t h = 0; h < s.kv_heads; ++h) {
                const std::int64_t keys = mask.reach(b, first, queries, s.keys).end;
                parts.push_back({b, h, first, queries, keys});
            }
        }
    }
    return parts;
}

}  // namespace attention
