#include "attention/split.hpp"

#include <algorithm>

namespace attention {

namespace {

/// Parts for each worker at least, where no head is left whole; and beside whole heads,
/// which have most of the work then.
constexpr std::int64_t parts_per_worker = 6;
constexpr std::int64_t last_parts_per_worker = 3;

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

    const std::int64_t whole = std::max<std::int64_t>(heads - workers, 0);
    const std::int64_t cut = heads - whole;
    const auto add = [&](std::int64_t head, std::int64_t first, std::int64_t queries) {
        const std::int64_t batch = head / s.kv_heads;
        const std::int64_t keys = mask.reach(batch, first, queries, s.keys).end;
        parts.push_back({batch, head % s.kv_heads, first, queries, keys});
    };
    for (std::int64_t head = 0; head < whole; ++head) add(head, 0, s.queries);

    const std::int64_t each = whole > 0 ? last_parts_per_worker : parts_per_worker;
    const std::int64_t wanted = rounded_up(workers * each, cut) / cut;
    const std::int64_t least = rounded_up(least_rows, s.group()) / s.group();
    const std::int64_t run = std::max(least, rounded_up(s.queries, wanted) / wanted);
    for (std::int64_t r = rounded_up(s.queries, run) / run; r-- > 0;) {
        const std::int64_t first = r * run;
        for (std::int64_t head = whole; head < heads; ++head) {
            add(head, first, std::min(run, s.queries - first));
        }
    }
    return parts;
}

}  // namespace attention
