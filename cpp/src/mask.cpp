#include "attention/mask.hpp"

#include <algorithm>
#include <limits>

#include "checked.hpp"
#include "sentence.hpp"

namespace attention {

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Window limits beyond this are as good as none; it keeps sums of positions
/// and limits within 64 bits.
constexpr std::int64_t farthest = std::int64_t{1} << 40;

Status check_positions(std::string_view field, std::string_view axis, std::int64_t batch,
                       std::int64_t count, std::int64_t given) {
    if (given == count || given == saturating_product({batch, count})) return {};
    return error(Code::wrong_shape, field,
                 "% must be [%] = [%] or [B, %] = [%, %], but has % values",
                 {field, axis, count, axis, batch, count, given});
}

Status check_window_side(std::string_view side, const std::optional<std::int64_t>& limit) {
    if (!limit || *limit >= 0) return {};
    return error(Code::wrong_value, "window",
                 "window.% must be a whole number of at least 0, but is %", {side, *limit});
}

/// Strides of values that broadcast to [B, Hq, T, S]: 0 along a broadcast axis.
Status broadcast(std::string_view field, const Shape& shape, std::int64_t count,
                 std::span<const std::int64_t> given, std::array<std::int64_t, 4>& strides) {
    const std::string shape_field = sentence("%Shape", {field});
    const std::array<std::int64_t, 4> target = {shape.batch, shape.query_heads, shape.queries,
                                                shape.keys};
    const std::span<const std::int64_t> axes = target;
    const std::array<std::int64_t, 4> square = {1, 1, shape.queries, shape.keys};
    std::array<std::int64_t, 4> sizes = {1, 1, 1, 1};
    if (given.empty()) {
        const bool is_square = count == saturating_product({shape.queries, shape.keys});
        sizes = is_square ? square : target;
    } else if (given.size() > 4) {
        return error(Code::wrong_shape, shape_field,
                     "% must have 1 to 4 axes that broadcast to [B, Hq, T, S] = %, but has %",
                     {shape_field, axes, static_cast<std::int64_t>(given.size())});
    } else {
        std::copy(given.begin(), given.end(), sizes.end() - given.size());
    }
    for (std::size_t axis = 0; axis < 4; ++axis) {
        if (sizes[axis] == target[axis] || sizes[axis] == 1) continue;
        return error(Code::wrong_shape, shape_field, "% % does not broadcast to [B, Hq, T, S] = %",
                     {shape_field, given, axes});
    }
    const std::int64_t needed = saturating_product({sizes[0], sizes[1], sizes[2], sizes[3]});
    if (count != needed && given.empty()) {
        return error(Code::wrong_shape, field,
                     "% has % values, which is neither [T, S] = % nor [B, Hq, T, S] = %; give % "
                     "for another shape",
                     {field, count, axes.subspan(2), axes, shape_field});
    }
    if (count != needed) {
        return error(Code::wrong_shape, field, "% must be %, which is % values, but has %",
                     {field, given, needed, count});
    }
    std::int64_t stride = 1;
    for (std::size_t axis = 4; axis-- > 0;) {
        strides[axis] = sizes[axis] == 1 ? 0 : stride;
        stride *= sizes[axis];
    }
    return {};
}

std::array<std::int64_t, 4> sizes_of(const Shape& shape,
                                     const std::array<std::int64_t, 4>& strides) {
    std::array<std::int64_t, 4> sizes = {shape.batch, shape.query_heads, shape.queries, shape.keys};
    for (std::size_t axis = 0; axis < 4; ++axis) {
        if (strides[axis] == 0) sizes[axis] = 1;
    }
    return sizes;
}

/// The sum over `count` whole numbers from `first` on, each clamped to
/// 0 ... `most`.
double sum_clamped(double first, double count, double most) {
    const double last = first + count - 1;
    const double at_most = std::clamp(last - most + 1, 0.0, count);
    const double from = std::max(first, 1.0);
    const double to = std::min(last, most - 1);
    const double between = to >= from ? (from + to) * (to - from + 1) / 2 : 0.0;
    return at_most * most + between;
}

}  // namespace

std::string_view hidden::name(Hidden bit) {
    switch (bit) {
        case by_causal: return "causal";
        case by_window_left: return "window-left";
        case by_window_right: return "window-right";
        case by_allowed: return "allowed";
        case by_bias: return "bias";
        default: return "";
    }
}

Status Mask::resolve(const Shape& shape, const MaskRules& rules, Mask& into) {
    Mask mask;
    mask.causal_ = rules.causal;
    mask.first_query_position_ = shape.keys - shape.queries;
    if (rules.window) {
        const Window& window = *rules.window;
        if (Status status = check_window_side("left", window.left); !status.ok()) return status;
        if (Status status = check_window_side("right", window.right); !status.ok()) return status;
        mask.unbounded_left_ = !window.left;
        mask.unbounded_right_ = !window.right;
        mask.left_ = std::min(window.left.value_or(0), farthest);
        mask.right_ = std::min(window.right.value_or(0), farthest);
    }
    if (rules.query_positions) {
        const auto count = static_cast<std::int64_t>(rules.query_positions->size());
        if (Status status =
                check_positions("queryPositions", "T", shape.batch, shape.queries, count);
            !status.ok()) {
            return status;
        }
        mask.query_positions_ = rules.query_positions->data();
        mask.query_batch_stride_ = count == shape.queries ? 0 : shape.queries;
    }
    if (rules.key_positions) {
        const auto count = static_cast<std::int64_t>(rules.key_positions->size());
        if (Status status = check_positions("keyPositions", "S", shape.batch, shape.keys, count);
            !status.ok()) {
            return status;
        }
        mask.key_positions_ = rules.key_positions->data();
        mask.key_batch_stride_ = count == shape.keys ? 0 : shape.keys;
    }
    if (rules.allowed) {
        if (Status status =
                broadcast("allowed", shape, static_cast<std::int64_t>(rules.allowed->values.size()),
                          rules.allowed->shape, mask.allowed_strides_);
            !status.ok()) {
            return status;
        }
        mask.allowed_ = rules.allowed->values.data();
    }
    if (rules.bias) {
        if (Status status =
                broadcast("bias", shape, static_cast<std::int64_t>(rules.bias->values.size()),
                          rules.bias->shape, mask.bias_strides_);
            !status.ok()) {
            return status;
        }
        mask.bias_ = rules.bias->values.data();
    }
    into = mask;
    return {};
}

std::array<std::int64_t, 4> Mask::allowed_sizes(const Shape& shape) const {
    return sizes_of(shape, allowed_strides_);
}

std::array<std::int64_t, 4> Mask::bias_sizes(const Shape& shape) const {
    return sizes_of(shape, bias_strides_);
}

Hidden Mask::hidden_by(std::int64_t batch, std::int64_t head, std::int64_t query,
                       std::int64_t key) const {
    Hidden reasons = 0;
    const std::int64_t back = query_position(batch, query) - key_position(batch, key);
    if (causal_ && back < 0) reasons |= hidden::by_causal;
    if (!unbounded_left_ && back > left_) reasons |= hidden::by_window_left;
    if (!unbounded_right_ && -back > right_) reasons |= hidden::by_window_right;
    if (allowed_ && allowed_[offset(allowed_strides_, batch, head, query, key)] == 0) {
        reasons |= hidden::by_allowed;
    }
    if (bias(batch, head, query, key) == minus_infinity) reasons |= hidden::by_bias;
    return reasons;
}

Mask::Range Mask::range(std::int64_t position) const {
    Range range{no_first, no_last};
    if (!unbounded_left_) range.first = position - left_;
    if (!unbounded_right_) range.last = position + right_;
    if (causal_) range.last = std::min(range.last, position);
    return range;
}

Mask::Extremes Mask::extremes(const std::int32_t* values, std::int64_t count) {
    const auto [least, most] = std::minmax_element(values, values + count);
    return {*least, *most};
}

Mask::Extremes Mask::query_extremes(std::int64_t batch, std::int64_t query,
                                    std::int64_t queries) const {
    if (query_positions_) {
        return extremes(query_positions_ + batch * query_batch_stride_ + query, queries);
    }
    return {query_position(batch, query), query_position(batch, query + queries - 1)};
}

Mask::Keys Mask::reach(std::int64_t batch, std::int64_t query, std::int64_t queries,
                       std::int64_t keys) const {
    if (key_positions_) return {0, keys};
    const Extremes positions = query_extremes(batch, query, queries);
    const std::int64_t begin = std::clamp<std::int64_t>(range(positions.least).first, 0, keys);
    const std::int64_t end = std::clamp<std::int64_t>(range(positions.most).last + 1, begin, keys);
    return {begin, end};
}

Sight Mask::classify(std::int64_t batch, std::int64_t head, std::int64_t query,
                     std::int64_t queries, std::int64_t key, std::int64_t keys) const {
    const Extremes q = query_extremes(batch, query, queries);
    Extremes k{key_position(batch, key), key_position(batch, key + keys - 1)};
    if (key_positions_) k = extremes(key_positions_ + batch * key_batch_stride_ + key, keys);

    // What the queries see together lies between the first key of the earliest
    // and the last key of the latest; what all of them see lies between the
    // first key of the latest and the last key of the earliest.
    const Range earliest = range(q.least);
    const Range latest = range(q.most);
    if (k.least > latest.last || k.most < earliest.first) return Sight::none;
    const bool all_in_range = k.least >= latest.first && k.most <= earliest.last;
    if (!allowed_ && !bias_) return all_in_range ? Sight::all : Sight::some;

    std::int64_t seen = 0;
    for (std::int64_t i = query; i < query + queries; ++i) {
        for (std::int64_t j = key; j < key + keys; ++j) {
            if (visible(batch, head, i, j)) ++seen;
        }
    }
    if (seen == 0) return Sight::none;
    return seen == queries * keys ? Sight::all : Sight::some;
}

bool Mask::counts_pair_by_pair() const { return allowed_ || bias_ || key_positions_; }

double Mask::count_visible(const Shape& shape) const {
    // Batch items and heads that no rule tells apart are counted once.
    const bool batches_differ = query_batch_stride_ != 0 || key_batch_stride_ != 0 ||
                                allowed_strides_[0] != 0 || bias_strides_[0] != 0;
    const bool heads_differ = allowed_strides_[1] != 0 || bias_strides_[1] != 0;
    const std::int64_t batches =
        batches_differ ? shape.batch : std::min<std::int64_t>(shape.batch, 1);
    const std::int64_t heads = heads_differ ? shape.query_heads : 1;
    const std::int64_t alike = saturating_product(
        {shape.batch / std::max<std::int64_t>(batches, 1), shape.query_heads / heads});
    const auto times = static_cast<double>(alike);
    if (shape.queries == 0 || shape.keys == 0) return 0;

    double seen = 0;
    if (counts_pair_by_pair()) {
        for (std::int64_t b = 0; b < batches; ++b) {
            for (std::int64_t h = 0; h < heads; ++h) {
                for (std::int64_t i = 0; i < shape.queries; ++i) {
                    for (std::int64_t j = 0; j < shape.keys; ++j) {
                        if (visible(b, h, i, j)) seen += 1;
                    }
                }
            }
        }
        return seen * times;
    }

    // A query at p sees the keys up to p + ahead, less those before p - left:
    // two sums of clamped positions.
    const Range from_zero = range(0);
    const auto keys = static_cast<double>(shape.keys);
    const auto seen_from = [&](double position, double queries) {
        const double up_to =
            from_zero.last == no_last
                ? queries * keys
                : sum_clamped(position + static_cast<double>(from_zero.last) + 1, queries, keys);
        const double too_early =
            from_zero.first == no_first
                ? 0.0
                : sum_clamped(position + static_cast<double>(from_zero.first), queries, keys);
        return up_to - too_early;
    };
    for (std::int64_t b = 0; b < batches; ++b) {
        if (!query_positions_) {
            seen += seen_from(static_cast<double>(first_query_position_),
                              static_cast<double>(shape.queries));
            continue;
        }
        for (std::int64_t i = 0; i < shape.queries; ++i) {
            seen += seen_from(static_cast<double>(query_position(b, i)), 1);
        }
    }
    return seen * times;
}

}  // namespace attention
