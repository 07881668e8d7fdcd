// The kernel for decoding: a few rows of queries against many keys.
//
// One new token has one query in each head, so the lanes of the tiled kernel would
// stay empty, and packing keys costs more than using them once. Here vectors run
// along the features. What a decoding step has to do is read k and v once,
// 4 * S * (D + Dv) bytes for each KV head; everything is arranged so that all
// queries of a group of heads use a key while it is in the first-level cache.
//
//     q        [rows][D]      scaled, rows = queries of the groups of some KV heads
//     k, v     as they lie    [S][D], [S][Dv]
//     weights  [rows][tile]   of one tile of keys: scores, then exp(score - max)
//     output   [rows][Dv]     not yet divided by the sum
//
// Above all k and v are read in the order in which they lie, one row after another:
// as many KV heads as make 32 rows go through a tile together, and where a token's
// heads lie side by side, as in a cache, they take turns at each token. The processor
// fetches only one such stream ahead. Four keys abreast take 0.6 of the time while k
// and v lie in the caches, and longer beyond.
//
// A key is scored against two rows at once, in 4 accumulators: 6 loads for 4
// multiply-adds. A value is added to two rows at once: 5 loads and stores for 2. The
// softmax is online, as in the tiled kernel.
//
// Place on the ladder (one token, S 8192, 16 query heads over 8, D 128, from a KV
// cache, WebAssembly with relaxed SIMD): 56 to 60 % of the bandwidth of a plain sum
// over k and v where that has 25 GB/s, 76 % where it has 10, with other work between two
// steps, as a model has in its other layers. In the first case it takes 4.4 to 5.1 ms,
// of which 3.5 would remain if k and v lay in the caches. One head through all tokens,
// four keys abreast, took 13.8 ms beside it.
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
        const std::int64_t rows_of_head = s_.group() * s_.queries;
        const std::int64_t heads =
            std::clamp<std::int64_t>(most_rows / rows_of_head, 1, s_.kv_heads);
        const std::int64_t rows = std::min<std::int64_t>(most_rows, heads * rows_of_head);
        if (!q_.reserve(saturating_product({rows, s_.head_dim})) ||
            !accumulated_.reserve(saturating_product({rows, s_.value_dim})) ||
            !weights_.reserve(rows * tile_keys)) {
            return out_of_memory("a row of queries");
        }
        each_run_of_rows(s_, most_rows, [&](const Rows& run) {
            if (run.kv_head % heads != 0) return;
            attend_heads({run, std::min(heads, s_.kv_heads - run.kv_head)});
        });
        return {};
    }

private:
    // The same rows of adjacent KV heads. They lie one head after another in the
    // buffers.
    struct Heads {
        Rows first;
        std::int64_t count;

        std::int64_t rows() const { return count * first.count; }
        std::int64_t slot(std::int64_t head) const { return head * first.count; }
        Rows operator[](std::int64_t head) const {
            Rows rows = first;
            rows.kv_head += head;
            return rows;
        }
    };

    void attend_heads(const Heads& heads) {
        for (std::int64_t h = 0; h < heads.count; ++h) take_queries(heads[h], heads.slot(h));
        std::fill_n(accumulated_.data(), heads.rows() * s_.value_dim, 0.0F);
        std::fill_n(max_, heads.rows(), minus_infinity);
        std::fill_n(sum_, heads.rows(), 0.0F);

        const Keys reach = within_reach(p_, heads.first, {0, s_.keys}, tile_keys);
        const std::int64_t end = reach.first + reach.count;
        for (std::int64_t key = reach.first; key < end; key += tile_keys) {
            attend_tile(heads, {key, std::min<std::int64_t>(tile_keys, end - key)});
        }
        for (std::int64_t h = 0; h < heads.count; ++h) write_output(heads[h], heads.slot(h));
    }

    void take_queries(const Rows& rows, std::int64_t slot) {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const float* q = p_.q.row(rows.batch, rows.head(r), rows.query(r));
            float* into = q_.data() + (slot + r) * s_.head_dim;
            for (std::int64_t d = 0; d < s_.head_dim; ++d) into[d] = p_.scale * q[d];
        }
    }

    [[gnu::noinline]] void attend_tile(const Heads& heads, const Keys& keys) {
        Sight sight[most_rows];
        bool any = false;
        for (std::int64_t h = 0; h < heads.count; ++h) {
            sight[h] = classify(p_.mask, heads[h], keys);
            any = any || sight[h] != Sight::none;
        }
        if (!any) return;

        in_order(p_.k, heads, keys, [&](const float* k, std::int64_t slot, std::int64_t j) {
            score(k, slot, heads.first.count, j);
        });
        bool finite = true;
        for (std::int64_t h = 0; h < heads.count; ++h) {
            if (p_.softcap > 0.0F || p_.mask.has_bias() || sight[h] != Sight::all) {
                adjust(heads[h], heads.slot(h), keys);
            }
            if (hides_any(heads[h], heads.slot(h), keys)) {
                finite = finite && values_are_finite<Arch>(p_, heads[h], keys);
            }
        }
        if (!finite) note_visible(heads.rows(), keys.count);
        for (std::int64_t r = 0; r < heads.rows(); ++r) softmax(r, keys.count);
        in_order(p_.v, heads, keys, [&](const float* v, std::int64_t slot, std::int64_t j) {
            if (finite) {
                add_value(v, slot, heads.first.count, j);
            } else {
                add_visible_value(v, slot, heads.first.count, j);
            }
        });
    }

    // Calls visit(row, slot, j) for the row of each head and key of a tile, in the
    // order in which they lie in memory.
    template <class Visit>
    static void in_order(const HeadView<const float>& view, const Heads& heads, const Keys& keys,
                         Visit visit) {
        const auto visit_row = [&](std::int64_t h, std::int64_t j) {
            const Rows rows = heads[h];
            visit(view.row(rows.batch, rows.kv_head, keys.first + j), heads.slot(h), j);
        };
        if (view.head_stride < view.row_stride) {
            for (std::int64_t j = 0; j < keys.count; ++j) {
                for (std::int64_t h = 0; h < heads.count; ++h) visit_row(h, j);
            }
        } else {
            for (std::int64_t h = 0; h < heads.count; ++h) {
                for (std::int64_t j = 0; j < keys.count; ++j) visit_row(h, j);
            }
        }
    }

    // weights[r][j] = q[r] . k for the rows of a head.
    [[gnu::noinline]] void score(const float* k, std::int64_t slot, std::int64_t rows,
                                 std::int64_t j) {
        const std::int64_t end = slot + rows;
        std::int64_t r = slot;
        for (; r + 2 <= end; r += 2) score_rows<2>(k, r, j);
        if (r < end) score_rows<1>(k, r, j);
    }

    // Two chains of sums a row: with more, V8 keeps some of them in memory.
    template <int Rows_>
    [[gnu::always_inline]] void score_rows(const float* k, std::int64_t r, std::int64_t j) {
        constexpr int chains = 2;
        constexpr int step = chains * width;
        const float* q[Rows_];
        Lanes sum[Rows_][chains];
        for (int b = 0; b < Rows_; ++b) {
            q[b] = q_.data() + (r + b) * s_.head_dim;
            for (Lanes& lanes : sum[b]) lanes = Lanes(0.0F);
        }
        int left = static_cast<int>(s_.head_dim);
        for (; left >= step; left -= step) {
            for (int a = 0; a < chains; ++a) {
                const Lanes key = Lanes::load_unaligned(k + a * width);
                for (int b = 0; b < Rows_; ++b) {
                    const Lanes query = Lanes::load_unaligned(q[b] + a * width);
                    sum[b][a] = simd::multiply_add<Arch>(key, query, sum[b][a]);
                }
            }
            k += step;
            for (const float*& query : q) query += step;
        }
        for (int b = 0; b < Rows_; ++b) {
            float dot = xsimd::reduce_add(sum[b][0] + sum[b][1]);
            for (int d = 0; d < left; ++d) dot += k[d] * q[b][d];
            weights_[(r + b) * tile_keys + j] = dot;
        }
    }

    // Softcap, bias and mask, in that order, for tiles that have any of them.
    [[gnu::cold]] void adjust(const Rows& rows, std::int64_t slot, const Keys& keys) {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const std::int64_t head = rows.head(r);
            const std::int64_t query = rows.query(r);
            for (std::int64_t j = 0; j < keys.count; ++j) {
                float& score = weights_[(slot + r) * tile_keys + j];
                if (p_.softcap > 0.0F) score = p_.softcap * std::tanh(score / p_.softcap);
                score += p_.mask.bias(rows.batch, head, query, keys.first + j);
                if (!p_.mask.visible(rows.batch, head, query, keys.first + j)) {
                    score = minus_infinity;
                }
            }
        }
    }

    // Whether any score is -infinity: of a hidden key, as a rule.
    bool hides_any(const Rows& rows, std::int64_t slot, const Keys& keys) const {
        bool found = false;
        for (std::int64_t r = slot; r < slot + rows.count; ++r) {
            const float* scores = weights_.data() + r * tile_keys;
            for (std::int64_t j = 0; j < keys.count; ++j) found |= scores[j] == minus_infinity;
        }
        return found;
    }

    // Raises the maximum of a row to that of its new scores, and scales down what
    // was gathered below the old one. Returns what to subtract: the maximum, or 0
    // while the row has seen no key.
    float raise_max(std::int64_t r, std::int64_t padded) {
        const float* scores = weights_.data() + r * tile_keys;
        Lanes most(max_[r]);
        for (std::int64_t j = 0; j < padded; j += width) {
            most = xsimd::max(most, Lanes::load_aligned(scores + j));
        }
        const float max = xsimd::reduce_max(most);
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
        float* weights = weights_.data() + r * tile_keys;
        const std::int64_t padded = (keys + width - 1) / width * width;
        std::fill(weights + keys, weights + padded, minus_infinity);
        const Lanes subtract(raise_max(r, padded));
        Lanes sum(0.0F);
        for (std::int64_t j = 0; j < padded; j += width) {
            const Lanes weight =
                simd::exponential<Arch>(Lanes::load_aligned(weights + j) - subtract);
            weight.store_aligned(weights + j);
            sum += weight;
        }
        sum_[r] += xsimd::reduce_add(sum);
    }

    // output[r] += weights[r][j] * v for the rows of a head.
    [[gnu::noinline]] void add_value(const float* v, std::int64_t slot, std::int64_t rows,
                                     std::int64_t j) {
        const std::int64_t end = slot + rows;
        std::int64_t r = slot;
        for (; r + 2 <= end; r += 2) add_to_rows<2>(v, r, j);
        if (r < end) add_to_rows<1>(v, r, j);
    }

    template <int Rows_>
    [[gnu::always_inline]] void add_to_rows(const float* v, std::int64_t r, std::int64_t j) {
        constexpr int abreast = 4;
        constexpr int step = abreast * width;
        float* output[Rows_];
        float weight[Rows_];
        for (int b = 0; b < Rows_; ++b) {
            output[b] = accumulated_.data() + (r + b) * s_.value_dim;
            weight[b] = weights_[(r + b) * tile_keys + j];
        }
        int left = static_cast<int>(s_.value_dim);
        for (; left >= step; left -= step) {
            for (int a = 0; a < abreast; ++a) {
                const Lanes value = Lanes::load_unaligned(v + a * width);
                for (int b = 0; b < Rows_; ++b) {
                    float* into = output[b] + a * width;
                    simd::multiply_add<Arch>(Lanes(weight[b]), value, Lanes::load_unaligned(into))
                        .store_unaligned(into);
                }
            }
            v += step;
            for (float*& into : output) into += step;
        }
        for (int b = 0; b < Rows_; ++b) {
            for (int c = 0; c < left; ++c) output[b][c] += weight[b] * v[c];
        }
    }

    // The careful way for tiles with NaN or infinity among the values: where the
    // score was -infinity, the slot is skipped and not multiplied by 0.
    [[gnu::cold]] void add_visible_value(const float* v, std::int64_t slot, std::int64_t rows,
                                         std::int64_t j) {
        for (std::int64_t r = slot; r < slot + rows; ++r) {
            if (visible_[r * tile_keys + j]) add_to_rows<1>(v, r, j);
        }
    }

    [[gnu::cold]] void note_visible(std::int64_t rows, std::int64_t keys) {
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t j = r * tile_keys; j < r * tile_keys + keys; ++j) {
                visible_[j] = weights_[j] != minus_infinity;
            }
        }
    }

    void write_output(const Rows& rows, std::int64_t slot) const {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const float sum = sum_[slot + r];
            const float* from = accumulated_.data() + (slot + r) * s_.value_dim;
            float* into = output_.row(rows.batch, rows.head(r), rows.query(r));
            for (std::int64_t c = 0; c < s_.value_dim; ++c) {
                into[c] = sum == 0.0F ? 0.0F : from[c] / sum;
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
    bool visible_[most_rows * tile_keys];  // for add_visible_value()
};

template <class Arch>
Status attend(const Checked& problem, HeadView<float> output) {
    return Kernel<Arch>(problem, output).run();
}

}  // namespace attention::decoding
