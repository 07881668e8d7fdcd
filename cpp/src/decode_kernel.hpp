// The kernel for decoding: a few rows of queries against many keys.
//
// One new token has one query in each head, so the lanes of the tiled kernel would
// stay empty, and packing keys costs more than using them once. Here vectors run
// along the features. What a decoding step has to do is read k and v once,
// 4 * S * (D + Dv) bytes for each KV head; everything is arranged so that all
// queries of a group of heads use a key while it is in the first-level cache.
//
//     q        [rows][D]      scaled, rows = queries of one KV head's group
//     k, v     as they lie    [S][D], [S][Dv]
//     weights  [rows][tile]   of one tile of keys: scores, then exp(score - max)
//     output   [rows][Dv]     not yet divided by the sum
//
// Scores go in register tiles of 4 keys by 2 rows: 8 accumulators, 6 loads for 8
// multiply-adds. Values are added 4 keys at a time, so that a vector of output is
// loaded and stored once for 4 multiply-adds. The softmax is online, as in the
// tiled kernel.
//
// Place on the ladder (one token, S 8192, 16 query heads over 8, D 128, from a KV
// cache): 54 to 96 % of the bandwidth of a plain sum over k and v, from run to run,
// at 10 GB/s; the tiled kernel reaches 25 to 42 % there. As a
// kernel for many queries it makes 9 GFLOP/s where tiled makes 36.
//
// Splitting keys over threads is Flash-Decoding (Dao et al. 2023);
// here the pool splits over KV heads instead.
#pragma once

#include <algorithm>
#include <cmath>

#include "buffer.hpp"
#include "exponential.hpp"
#include "rows.hpp"
#include "simd.hpp"
#include "values.hpp"

namespace attention::decoding {

inline constexpr int tile_keys = 64;
inline constexpr int most_rows = 32;

template <class Arch>
class Kernel {
    using Lanes = simd::Floats<Arch>;
    static constexpr int width = static_cast<int>(Lanes::size);

public:
    Kernel(const Checked& problem, HeadView<float> output)
        : p_(problem), s_(problem.shape), output_(output) {}

    Status run() {
        const std::int64_t rows = std::min<std::int64_t>(most_rows, s_.group() * s_.queries);
        if (!q_.reserve(saturating_product({rows, s_.head_dim})) ||
            !accumulated_.reserve(saturating_product({rows, s_.value_dim})) ||
            !weights_.reserve(rows * tile_keys)) {
            return out_of_memory("a row of queries");
        }
        each_run_of_rows(s_, most_rows, [&](const Rows& run) { attend_rows(run); });
        return {};
    }

private:
    void attend_rows(const Rows& rows) {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const float* q = p_.q.row(rows.batch, rows.head(r), rows.query(r));
            float* into = q_.data() + r * s_.head_dim;
            for (std::int64_t d = 0; d < s_.head_dim; ++d) into[d] = p_.scale * q[d];
        }
        std::fill_n(accumulated_.data(), rows.count * s_.value_dim, 0.0F);
        std::fill_n(max_, rows.count, minus_infinity);
        std::fill_n(sum_, rows.count, 0.0F);

        const Keys reach = within_reach(p_, rows, {0, s_.keys}, tile_keys);
        const std::int64_t end = reach.first + reach.count;
        for (std::int64_t key = reach.first; key < end; key += tile_keys) {
            attend_tile(rows, {key, std::min<std::int64_t>(tile_keys, end - key)});
        }
        write_output(rows);
    }

    [[gnu::noinline]] void attend_tile(const Rows& rows, const Keys& keys) {
        const Sight sight = classify(p_.mask, rows, keys);
        if (sight == Sight::none) return;
        score(rows, keys);
        if (p_.softcap > 0.0F || p_.mask.has_bias() || sight == Sight::some) adjust(rows, keys);
        const bool finite = values_are_finite<Arch>(p_, rows, keys);
        for (std::int64_t r = 0; r < rows.count; ++r) {
            bool visible[tile_keys];
            if (!finite) note_visible(r, keys.count, visible);
            softmax(r, keys.count);
            if (finite) {
                add_values(rows, r, keys);
            } else {
                add_visible_values(rows, r, keys, visible);
            }
        }
    }

    // weights[r][j] = q[r] . k[j], in register tiles of 4 keys by 2 rows.
    [[gnu::noinline]] void score(const Rows& rows, const Keys& keys) {
        std::int64_t j = 0;
        for (; j + 4 <= keys.count; j += 4) score_keys<4>(rows, keys.first + j, j);
        for (; j < keys.count; ++j) score_keys<1>(rows, keys.first + j, j);
    }

    template <int Keys_>
    [[gnu::always_inline]] void score_keys(const Rows& rows, std::int64_t key, std::int64_t at) {
        const float* k = p_.k.row(rows.batch, rows.kv_head, key);
        std::int64_t r = 0;
        for (; r + 2 <= rows.count; r += 2) score_tile<Keys_, 2>(k, r, at);
        for (; r < rows.count; ++r) score_tile<Keys_, 1>(k, r, at);
    }

    template <int Keys_, int Rows_>
    [[gnu::noinline]] void score_tile(const float* k, std::int64_t r, std::int64_t at) {
        const auto dim = static_cast<std::ptrdiff_t>(s_.head_dim);
        const auto stride = static_cast<std::ptrdiff_t>(p_.k.row_stride);
        const float* q = q_.data() + r * s_.head_dim;
        Lanes sum[Keys_][Rows_];
        for (auto& of_key : sum) {
            for (Lanes& lanes : of_key) lanes = Lanes(0.0F);
        }
        std::ptrdiff_t d = 0;
        for (; d + width <= dim; d += width) {
            for (int a = 0; a < Keys_; ++a) {
                const Lanes key = Lanes::load_unaligned(k + a * stride + d);
                for (int b = 0; b < Rows_; ++b) {
                    const Lanes query = Lanes::load_unaligned(q + b * dim + d);
                    sum[a][b] = simd::multiply_add<Arch>(key, query, sum[a][b]);
                }
            }
        }
        for (int a = 0; a < Keys_; ++a) {
            for (int b = 0; b < Rows_; ++b) {
                float dot = xsimd::reduce_add(sum[a][b]);
                for (std::ptrdiff_t rest = d; rest < dim; ++rest) {
                    dot += k[a * stride + rest] * q[b * dim + rest];
                }
                weights_[(r + b) * tile_keys + at + a] = dot;
            }
        }
    }

    // Softcap, bias and mask, in that order, for tiles that have any of them.
    [[gnu::cold]] void adjust(const Rows& rows, const Keys& keys) {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const std::int64_t head = rows.head(r);
            const std::int64_t query = rows.query(r);
            for (std::int64_t j = 0; j < keys.count; ++j) {
                float& score = weights_[r * tile_keys + j];
                if (p_.softcap > 0.0F) score = p_.softcap * std::tanh(score / p_.softcap);
                score += p_.mask.bias(rows.batch, head, query, keys.first + j);
                if (!p_.mask.visible(rows.batch, head, query, keys.first + j)) {
                    score = minus_infinity;
                }
            }
        }
    }

    // Raises the maximum of a row to that of its new scores, and scales down what
    // was gathered below the old one. Returns what to subtract: the maximum, or 0
    // while the row has seen no key.
    float raise_max(std::int64_t r, std::int64_t keys) {
        const float* scores = weights_.data() + r * tile_keys;
        float max = max_[r];
        for (std::int64_t j = 0; j < keys; ++j) max = std::max(max, scores[j]);
        if (max != max_[r]) {
            const float shrink = std::exp(max_[r] - max);
            sum_[r] *= shrink;
            float* output = accumulated_.data() + r * s_.value_dim;
            for (std::int64_t c = 0; c < s_.value_dim; ++c) output[c] *= shrink;
            max_[r] = max;
        }
        return max == minus_infinity ? 0.0F : max;
    }

    // Scores of a row become exp(score - max); their sum is added to the row's.
    [[gnu::noinline]] void softmax(std::int64_t r, std::int64_t keys) {
        const Lanes subtract(raise_max(r, keys));
        float* weights = weights_.data() + r * tile_keys;
        const std::int64_t padded = (keys + width - 1) / width * width;
        std::fill(weights + keys, weights + padded, minus_infinity);
        Lanes sum(0.0F);
        for (std::int64_t j = 0; j < padded; j += width) {
            const Lanes weight =
                simd::exponential<Arch>(Lanes::load_aligned(weights + j) - subtract);
            weight.store_aligned(weights + j);
            sum += weight;
        }
        sum_[r] += xsimd::reduce_add(sum);
    }

    // output[r] += sum_j weights[r][j] * v[j]
    [[gnu::noinline]] void add_values(const Rows& rows, std::int64_t r, const Keys& keys) {
        const float* weights = weights_.data() + r * tile_keys;
        float* output = accumulated_.data() + r * s_.value_dim;
        std::int64_t j = 0;
        for (; j + 4 <= keys.count; j += 4) {
            add_weighted<4>(p_.v.row(rows.batch, rows.kv_head, keys.first + j), weights + j,
                            output);
        }
        for (; j < keys.count; ++j) {
            add_weighted<1>(p_.v.row(rows.batch, rows.kv_head, keys.first + j), weights + j,
                            output);
        }
    }

    template <int Keys_>
    [[gnu::always_inline]] void add_weighted(const float* v, const float* weights, float* output) {
        const auto dim = static_cast<std::ptrdiff_t>(s_.value_dim);
        const auto stride = static_cast<std::ptrdiff_t>(p_.v.row_stride);
        Lanes weight[Keys_];
        for (int a = 0; a < Keys_; ++a) weight[a] = Lanes(weights[a]);
        std::ptrdiff_t c = 0;
        for (; c + width <= dim; c += width) {
            Lanes sum = Lanes::load_unaligned(output + c);
            for (int a = 0; a < Keys_; ++a) {
                sum = simd::multiply_add<Arch>(weight[a], Lanes::load_unaligned(v + a * stride + c),
                                               sum);
            }
            sum.store_unaligned(output + c);
        }
        for (; c < dim; ++c) {
            for (int a = 0; a < Keys_; ++a) output[c] += weights[a] * v[a * stride + c];
        }
    }

    // The careful way for tiles with NaN or infinity among the values: where the
    // score was -infinity, the slot is skipped and not multiplied by 0.
    [[gnu::cold]] void add_visible_values(const Rows& rows, std::int64_t r, const Keys& keys,
                                          const bool* visible) {
        for (std::int64_t j = 0; j < keys.count; ++j) {
            if (!visible[j]) continue;
            add_weighted<1>(p_.v.row(rows.batch, rows.kv_head, keys.first + j),
                            weights_.data() + r * tile_keys + j,
                            accumulated_.data() + r * s_.value_dim);
        }
    }

    [[gnu::cold]] void note_visible(std::int64_t r, std::int64_t keys, bool* visible) const {
        const float* scores = weights_.data() + r * tile_keys;
        for (std::int64_t j = 0; j < keys; ++j) visible[j] = scores[j] != minus_infinity;
    }

    void write_output(const Rows& rows) const {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const float* from = accumulated_.data() + r * s_.value_dim;
            float* into = output_.row(rows.batch, rows.head(r), rows.query(r));
            for (std::int64_t c = 0; c < s_.value_dim; ++c) {
                into[c] = sum_[r] == 0.0F ? 0.0F : from[c] / sum_[r];
            }
        }
    }

    const Checked& p_;
    const Shape& s_;
    HeadView<float> output_;
    Buffer<float> q_;
    Buffer<float> weights_;
    Buffer<float> accumulated_;
    float max_[most_rows];
    float sum_[most_rows];
};

template <class Arch>
Status attend(const Checked& problem, HeadView<float> output) {
    return Kernel<Arch>(problem, output).run();
}

}  // namespace attention::decoding
