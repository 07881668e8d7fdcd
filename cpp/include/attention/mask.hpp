// Which keys a query may see, and why not the others.
//
// Visibility goes by position, not by index. A query at position p sees the key
// at position s if every rule says so:
//
//     causal    s <= p
//     window    -right <= p - s <= left
//     allowed   the boolean mask is true there
//     bias      the additive mask is not -infinity there
//
// Queries stand on the last T of the S positions unless positions are given, so
// that training (T = S), one cached decoding step (T = 1) and a chunk of a
// prefill are one rule. With T = 2, S = 4, causal:
//
//                key 0  1  2  3
//     query at 2     1  1  1  0
//     query at 3     1  1  1  1
//
// and with T = 4, S = 2 the first two queries stand at -2 and -1 and see nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attention/shape.hpp"
#include "attention/status.hpp"

namespace attention {

/// Keys before and after the query's own position that stay in sight. An absent
/// side has no limit. A sliding window of w keys, the query's own among them,
/// is {w - 1, 0}.
struct Window {
    std::optional<std::int64_t> left;
    std::optional<std::int64_t> right;
};

/// Values that broadcast to [B, Hq, T, S] as NumPy does: right-aligned, and an
/// axis of 1 serves every index. An empty shape stands for [T, S] or
/// [B, Hq, T, S], whichever the number of values fits.
template <class Value>
struct Broadcast {
    std::span<const Value> values;
    std::vector<std::int64_t> shape;
};

/// The rules as a caller states them. All hold at once. Positions are [T] or
/// [B, T] for queries, [S] or [B, S] for keys, and default to the last T of
/// 0 ... S - 1 and to 0 ... S - 1.
struct MaskRules {
    bool causal = true;
    std::optional<Window> window;
    std::optional<std::span<const std::int32_t>> query_positions;
    std::optional<std::span<const std::int32_t>> key_positions;
    std::optional<Broadcast<std::uint8_t>> allowed;  ///< not 0 means "may attend"
    std::optional<Broadcast<float>> bias;            ///< added to the scores; -infinity hides
};

/// Why a pair is hidden: a set of bits, 0 when it is visible.
using Hidden = std::uint8_t;
namespace hidden {
inline constexpr Hidden by_causal = 1;        ///< the key lies after the query
inline constexpr Hidden by_window_left = 2;   ///< too far before the query
inline constexpr Hidden by_window_right = 4;  ///< too far after the query
inline constexpr Hidden by_allowed = 8;       ///< the boolean mask says no
inline constexpr Hidden by_bias = 16;         ///< the additive mask is -infinity
inline constexpr std::array<Hidden, 5> all = {by_causal, by_window_left, by_window_right,
                                              by_allowed, by_bias};
/// The name of one bit, e.g. "window-left".
std::string_view name(Hidden bit);
}  // namespace hidden

/// What a rectangle of queries and keys looks like to a kernel.
enum class Sight : std::uint8_t { none, some, all };

/// Rules that have been checked against a shape and resolved to strides. Cheap
/// to copy; it looks at the caller's memory and owns nothing.
class Mask {
public:
    /// Checks the rules. On an error `into` is left as it was.
    static Status resolve(const Shape& shape, const MaskRules& rules, Mask& into);

    std::int64_t query_position(std::int64_t batch, std::int64_t query) const {
        return query_positions_ ? query_positions_[batch * query_batch_stride_ + query]
                                : first_query_position_ + query;
    }
    std::int64_t key_position(std::int64_t batch, std::int64_t key) const {
        return key_positions_ ? key_positions_[batch * key_batch_stride_ + key] : key;
    }

    /// The rules that hide this pair, all of them; 0 if it is visible.
    Hidden hidden_by(std::int64_t batch, std::int64_t head, std::int64_t query,
                     std::int64_t key) const;

    bool visible(std::int64_t batch, std::int64_t head, std::int64_t query,
                 std::int64_t key) const {
        return hidden_by(batch, head, query, key) == 0;
    }

    /// What is added to the score of this pair; 0 without a bias.
    float bias(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t key) const {
        return bias_ ? bias_[offset(bias_strides_, batch, head, query, key)] : 0.0F;
    }

    bool has_allowed() const { return allowed_ != nullptr; }
    bool has_bias() const { return bias_ != nullptr; }

    /// The sizes [B, Hq, T, S] of the boolean and the additive mask, 1 along an axis
    /// that is broadcast.
    std::array<std::int64_t, 4> allowed_sizes(const Shape& shape) const;
    std::array<std::int64_t, 4> bias_sizes(const Shape& shape) const;

    /// The positions that a query at `position` can see by the causal rule and
    /// the window: first ... last, both included. `no_first` and `no_last`
    /// stand for an open end.
    struct Range {
        std::int64_t first;
        std::int64_t last;
    };
    static constexpr std::int64_t no_first = INT64_MIN / 4;
    static constexpr std::int64_t no_last = INT64_MAX / 4;
    Range range(std::int64_t position) const;

    /// The keys that queries [query, query + queries) can see at most: every other
    /// key is hidden from all of them. All keys where positions of keys are given.
    struct Keys {
        std::int64_t begin;
        std::int64_t end;
    };
    Keys reach(std::int64_t batch, std::int64_t query, std::int64_t queries,
               std::int64_t keys) const;

    /// What queries [query, query + queries) of a head see of keys
    /// [key, key + keys). Without given positions, allowed and bias this costs
    /// a few comparisons; otherwise it looks at the rectangle's edge or at
    /// each of its pairs.
    Sight classify(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t queries,
                   std::int64_t key, std::int64_t keys) const;

    /// The number of visible pairs over batch, query heads, queries and keys.
    /// O(1) or O(B * T) for the causal rule and windows on default positions of
    /// keys; with positions of keys, `allowed` or `bias` each pair is looked at.
    double count_visible(const Shape& shape) const;
    bool counts_pair_by_pair() const;

private:
    using Strides = std::array<std::int64_t, 4>;
    static std::int64_t offset(const Strides& strides, std::int64_t batch, std::int64_t head,
                               std::int64_t query, std::int64_t key) {
        return batch * strides[0] + head * strides[1] + query * strides[2] + key * strides[3];
    }

    struct Extremes {
        std::int64_t least;
        std::int64_t most;
    };
    static Extremes extremes(const std::int32_t* values, std::int64_t count);
    Extremes query_extremes(std::int64_t batch, std::int64_t query, std::int64_t queries) const;

    bool causal_ = true;
    bool unbounded_left_ = true;
    bool unbounded_right_ = true;
    std::int64_t left_ = 0;
    std::int64_t right_ = 0;
    std::int64_t first_query_position_ = 0;
    const std::int32_t* query_positions_ = nullptr;
    const std::int32_t* key_positions_ = nullptr;
    std::int64_t query_batch_stride_ = 0;
    std::int64_t key_batch_stride_ = 0;
    const std::uint8_t* allowed_ = nullptr;
    const float* bias_ = nullptr;
    Strides allowed_strides_{};
    Strides bias_strides_{};
};

}  // namespace attention
