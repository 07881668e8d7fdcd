// The arithmetic behind one cell of a layer: any number of any stage, with what it
// was made from and how, to the last bit as trace_layer() gives it.
//
//     x -> q, k, v -> dots -> scores -> capped -> masked -> weights -> mixed -> merged -> output
//
// Only what the cell needs is computed: a row of scores, not the square.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "attention/heads.hpp"

namespace attention {

/// The stages of a layer, from tokens to output. Heads are an axis here, wherever
/// they lie in memory: q is [B, Hq, T, D].
enum class Stage : std::uint8_t {
    x,        ///< [B, T, M]
    context,  ///< [B, S, M]
    wq,       ///< [Hq * D, M]
    wk,       ///< [Hkv * D, M]
    wv,       ///< [Hkv * Dv, M]
    wo,       ///< [N, Hq * Dv]
    q,        ///< [B, Hq, T, D]
    k,        ///< [B, Hkv, S, D]
    v,        ///< [B, Hkv, S, Dv]
    dots,     ///< [B, Hq, T, S] q . k
    scores,   ///< [B, Hq, T, S] scale * dots
    capped,   ///< [B, Hq, T, S] softcap * tanh(scores / softcap), or scores
    masked,   ///< [B, Hq, T, S] capped + bias; -infinity where hidden
    weights,  ///< [B, Hq, T, S] softmax over the keys
    mixed,    ///< [B, Hq, T, Dv] weights . v
    merged,   ///< [B, T, Hq * Dv] the heads of mixed side by side
    output,   ///< [B, T, N]
};

/// What makes a cell out of its sources.
enum class Operation : std::uint8_t {
    given,       ///< a number of the caller's
    projection,  ///< sum of products of a token's features and a row of weights
    dot,         ///< sum of products of a query's and a key's features
    scale,       ///< one number times the scale
    softcap,     ///< one number through the softcap, or as it was
    mask,        ///< one number plus the bias, or -infinity
    softmax,     ///< exp(masked - row_max) / row_sum
    mix,         ///< sum of products of a row of weights and a column of values
    merge,       ///< one number, moved
};

/// The stage and the operation as JavaScript spells them, e.g. "weights", "softmax".
std::string_view name(Stage stage);
std::string_view name(Operation operation);

/// Errors: wrong_value for a name that no stage has.
Status stage_by_name(std::string_view word, Stage& into);

/// The indices of a cell, as many as its stage has axes; the others are 0.
using CellIndex = std::array<std::int64_t, 4>;
std::int64_t axes_of(Stage stage);

/// `count` cells of a stage, from `first` on along `axis`.
struct Cells {
    Stage stage = Stage::x;
    CellIndex first{};
    std::int64_t axis = 0;
    std::int64_t count = 0;
};

/// A sum of products, term by term in the order in which it is formed.
struct Terms {
    Cells left;
    Cells right;
    std::vector<float> left_values;
    std::vector<float> right_values;
    std::vector<float> products;        ///< 0 where not counted
    std::vector<float> sums;            ///< the sum so far; the last one is the result
    std::vector<std::uint8_t> counted;  ///< 0: a hidden key, whose value is not read
};

/// What becomes of one query and one key, from their dot product to the weight.
struct Pair {
    std::int64_t kv_head = 0;  ///< the KV head that the query head reads
    std::int64_t query_position = 0;
    std::int64_t key_position = 0;
    float dot = 0.0F;
    float scale = 0.0F;
    float score = 0.0F;    ///< scale * dot
    float softcap = 0.0F;  ///< 0: none
    float capped = 0.0F;
    float bias = 0.0F;         ///< 0 without one
    Hidden hidden_by = 0;      ///< the rules that hide the pair
    float masked = 0.0F;       ///< capped + bias; -infinity where hidden
    float row_max = 0.0F;      ///< the largest masked score of the query
    float exponential = 0.0F;  ///< exp(masked - row_max)
    float row_sum = 0.0F;      ///< the sum of the query's exponentials
    float weight = 0.0F;
    /// The exponentials of all keys of the query's row, 0 where hidden, and their sum so
    /// far, in the order in which it is formed; the last one is row_sum.
    std::vector<float> exponentials;
    std::vector<float> exponential_sums;
};

/// What is behind a cell.
struct Record {
    float value = 0.0F;
    Operation operation = Operation::given;
    std::array<Cells, 2> sources;  ///< of the stages before, 0 to 2
    std::size_t source_count = 0;
    /// Of a cell that is a sum of products; of all cells of pairs, that of the dot.
    /// Otherwise without terms.
    Terms terms;
    std::optional<Pair> pair;  ///< of the cells [B, Hq, T, S]
};

/// The record of the cell at `index`, as many indices as the stage has axes. Errors:
/// those of trace_layer() for one query; wrong_value for an index that is not a cell
/// and for the context of a layer that has none. On an error `into` is left as it was.
///
/// Memory and work: those of a layer of one query, with one head but for merged and
/// output; S * M * (D + Dv) products and less than S * (D + Dv + 6) values a head.
Status inspect(const Layer& layer, Stage stage, std::span<const std::int64_t> index, Record& into);

}  // namespace attention
