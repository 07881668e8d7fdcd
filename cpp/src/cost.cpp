#include "attention/cost.hpp"

#include "checked.hpp"
#include "sentence.hpp"

namespace attention {

namespace {

/// A few seconds' worth.
constexpr std::int64_t most_counted_pairs = std::int64_t{1} << 30;

}  // namespace

Status cost(const Shape& shape, const MaskRules& rules, std::int64_t cache_element_bytes,
            Cost& into) {
    if (Status status = check_shape(shape); !status.ok()) return status;
    Mask mask;
    if (Status status = Mask::resolve(shape, rules, mask); !status.ok()) return status;
    if (cache_element_bytes != 1 && cache_element_bytes != 2 && cache_element_bytes != 4) {
        return wrong_value("cacheElementBytes", "1, 2 or 4", cache_element_bytes);
    }
    const std::int64_t pairs =
        saturating_product({shape.batch, shape.query_heads, shape.queries, shape.keys});
    if (mask.counts_pair_by_pair() && pairs > most_counted_pairs) {
        return error(Code::too_large, "",
                     "With keyPositions, allowed or bias each pair is looked at, which is done "
                     "for at most % pairs (B * Hq * T * S), but there are %",
                     {most_counted_pairs, pairs});
    }
    const auto number = [](std::int64_t count) { return static_cast<double>(count); };
    const double dims = number(shape.head_dim) + number(shape.value_dim);
    Cost cost;
    cost.pairs = number(shape.batch) * number(shape.query_heads) * number(shape.queries) *
                 number(shape.keys);
    cost.visible_pairs = mask.count_visible(shape);
    cost.flops = 2 * cost.pairs * dims;
    cost.visible_flops = 2 * cost.visible_pairs * dims;
    cost.score_bytes = 4 * cost.pairs;
    cost.cache_bytes_per_token = number(shape.kv_heads) * dims * number(cache_element_bytes);
    cost.cache_bytes = cost.cache_bytes_per_token * number(shape.batch) * number(shape.keys);
    into = cost;
    return {};
}

}  // namespace attention
