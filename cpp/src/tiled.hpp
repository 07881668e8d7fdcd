// The tiled kernel, the one that production uses: exact attention without the
// matrix of scores (FlashAttention: Dao et al. 2022, algorithm 1; the loop order
// of FlashAttention-2: Dao 2023, section 3.1), in SIMD registers.
//
// Queries lie in the lanes. A *lane block* is 2 * W queries, W being the width
// of a vector; everything that belongs to a query (its scores, maximum, sum,
// output) is a column of a lane block, so that the softmax is vertical and no
// vector is ever summed across. For grouped heads the lanes hold the queries of
// all heads of a group, next to each other by position: row r of a KV head is
// query r / G of the group's head r % G.
//
//     packed q   [blocks][D][2W]          queries of a super-block, scaled
//     packed k   [tile / 6][D][6]         one tile of keys, 6 keys abreast
//     v          as it lies               [S][Dv]
//     scores     [tile][2W]               of one lane block and one tile
//     output     [blocks][Dv][2W]         not yet divided by the sum
//     max, sum   [blocks][2W]
//
// Loops, outermost first: batch, KV head, super-block of query rows, tile of
// keys, lane block. A tile that the mask hides from a lane block is skipped, so
// a window of w keys costs O(T * w); one that it shows whole pays for no mask.
//
// Register tile (Goto & van de Geijn 2008, section 4): 6 keys by 2 vectors of
// queries are 12 accumulators; with 2 vectors of q and one splat key they fill
// the 16 registers of SSE, AVX2 and V8's WebAssembly. Each step over D loads
// 2 + 6 values for 12 multiply-adds. The products with the values have the same
// shape, 6 features of v by 2 vectors, summed over the keys of the tile.
//
// Reads and writes: k and v once for each super-block of 256 rows instead of
// once for each row; scores stay in the first-level cache (tile * 2W * 4 bytes =
// 1.5 KB for W = 4). Memory: a few hundred KB, whatever T and S.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "buffer.hpp"
#include "checked.hpp"
#include "exponential.hpp"
#include "simd.hpp"

namespace attention::tiled {

inline constexpr int panel = 6;           // keys, or features of v, side by side
inline constexpr int tile_keys = 48;      // keys of a tile, a multiple of the panel
inline constexpr int superblock_rows = 256;
inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// The rows of one KV head in one batch item: which query and head a row is.
struct Rows {
    std::int64_t batch;
    std::int64_t kv_head;
    std::int64_t group;
    std::int64_t count;  // group * T

    std::int64_t query(std::int64_t row) const { return row / group; }
    std::int64_t head(std::int64_t row) const { return kv_head * group + row % group; }
};

template <class Arch>
class Kernel {
    using Lanes = simd::Floats<Arch>;
    using Integers = simd::Integers<Arch>;
    static constexpr int width = static_cast<int>(Lanes::size);
    static constexpr int block_rows = 2 * width;

public:
    explicit Kernel(const Checked& problem, HeadView<float> output)
        : p_(problem), s_(problem.shape), output_(output) {}

    Status run() {
        if (!reserve()) return out_of_memory("the tiles of queries and keys");
        for (std::int64_t b = 0; b < s_.batch; ++b) {
            for (std::int64_t h = 0; h < s_.kv_heads; ++h) {
                const Rows rows{b, h, s_.group(), s_.group() * s_.queries};
                for (std::int64_t row = 0; row < rows.count; row += superblock_rows) {
                    attend_superblock(rows, row,
                                      std::min<std::int64_t>(superblock_rows, rows.count - row));
                }
            }
        }
        return {};
    }

private:
    bool reserve() {
        const std::int64_t rows =
            std::min<std::int64_t>(superblock_rows, s_.group() * s_.queries) + block_rows;
        return packed_q_.reserve(saturating_product({rows, s_.head_dim})) &&
               packed_k_.reserve(saturating_product({tile_keys, s_.head_dim})) &&
               scores_.reserve(tile_keys * block_rows) && visible_.reserve(tile_keys * block_rows) &&
               accumulated_.reserve(saturating_product({rows, s_.value_dim})) &&
               max_.reserve(rows) && sum_.reserve(rows);
    }

    // Rows [first, first + count) of a KV head against all keys.
    void attend_superblock(const Rows& rows, std::int64_t first, std::int64_t count) {
        const std::int64_t blocks = (count + block_rows - 1) / block_rows;
        pack_queries(rows, first, count, blocks);
        std::fill_n(accumulated_.data(), blocks * block_rows * s_.value_dim, 0.0F);
        std::fill_n(max_.data(), blocks * block_rows, minus_infinity);
        std::fill_n(sum_.data(), blocks * block_rows, 0.0F);

        for (std::int64_t key = 0; key < s_.keys; key += tile_keys) {
            const std::int64_t keys = std::min<std::int64_t>(tile_keys, s_.keys - key);
            bool packed = false;
            bool finite_values = true;
            for (std::int64_t block = 0; block < blocks; ++block) {
                const std::int64_t row = first + block * block_rows;
                const std::int64_t row_count =
                    std::min<std::int64_t>(block_rows, first + count - row);
                const Sight sight = classify(rows, row, row_count, key, keys);
                if (sight == Sight::none) continue;
                if (!packed) {
                    pack_keys(rows, key, keys);
                    finite_values = values_are_finite(rows, key, keys);
                    packed = true;
                }
                attend_tile(rows, row, row_count, block, key, keys, sight, finite_values);
            }
        }
        write_output(rows, first, count);
    }

    // One lane block against one tile of keys.
    [[gnu::noinline]] void attend_tile(const Rows& rows, std::int64_t row, std::int64_t row_count,
                                       std::int64_t block, std::int64_t key, std::int64_t keys,
                                       Sight sight, bool finite_values) {
        const float* q = packed_q_.data() + block * s_.head_dim * block_rows;
        for (std::int64_t j = 0; j < keys; j += panel) {
            score_panel(q, packed_k_.data() + j * s_.head_dim, scores_.data() + j * block_rows);
        }
        if (p_.softcap > 0.0F) cap_scores(keys);
        if (p_.mask.has_bias()) add_bias(rows, row, row_count, key, keys);
        if (sight == Sight::some) hide(rows, row, row_count, key, keys);
        if (!finite_values) remember_visible(keys);
        softmax(block, keys);

        float* accumulated = accumulated_.data() + block * s_.value_dim * block_rows;
        if (!finite_values) {
            add_visible_values(rows, key, keys, accumulated);
            return;
        }
        const float* v = p_.v.row(rows.batch, rows.kv_head, key);
        std::int64_t c = 0;
        for (; c + panel <= s_.value_dim; c += panel) {
            add_values<panel>(v + c, keys, accumulated + c * block_rows);
        }
        add_value_tail(s_.value_dim - c, v + c, keys, accumulated + c * block_rows);
    }

    // packed[block][d][lane] = scale * q[row][d]; lanes past the last row are 0.
    void pack_queries(const Rows& rows, std::int64_t first, std::int64_t count,
                      std::int64_t blocks) {
        const std::int64_t dim = s_.head_dim;
        for (std::int64_t r = 0; r < blocks * block_rows; ++r) {
            float* lane = packed_q_.data() + (r / block_rows) * dim * block_rows + r % block_rows;
            if (r >= count) {
                for (std::int64_t d = 0; d < dim; ++d) lane[d * block_rows] = 0.0F;
                continue;
            }
            const float* q = p_.q.row(rows.batch, rows.head(first + r), rows.query(first + r));
            for (std::int64_t d = 0; d < dim; ++d) lane[d * block_rows] = p_.scale * q[d];
        }
    }

    // packed[j / 6][d][j % 6] = k[key + j][d]; the last panel is filled with 0.
    [[gnu::noinline]] void pack_keys(const Rows& rows, std::int64_t key, std::int64_t keys) {
        const std::int64_t dim = s_.head_dim;
        for (std::int64_t j = 0; j < keys; j += panel) {
            float* into = packed_k_.data() + j * dim;
            for (int a = 0; a < panel; ++a) {
                if (j + a >= keys) {
                    for (std::int64_t d = 0; d < dim; ++d) into[d * panel + a] = 0.0F;
                    continue;
                }
                const float* k = p_.k.row(rows.batch, rows.kv_head, key + j + a);
                for (std::int64_t d = 0; d < dim; ++d) into[d * panel + a] = k[d];
            }
        }
    }

    // A weight of 0 hides a value unless 0 * value is NaN. Such tiles are rare
    // and take add_visible_values() instead.
    [[gnu::noinline]] bool values_are_finite(const Rows& rows, std::int64_t key,
                                             std::int64_t keys) const {
        bool finite = true;
        for (std::int64_t j = 0; j < keys; ++j) {
            const float* v = p_.v.row(rows.batch, rows.kv_head, key + j);
            Lanes zeros(0.0F);
            std::int64_t c = 0;
            for (; c + width <= s_.value_dim; c += width) {
                zeros = simd::multiply_add<Arch>(Lanes::load_unaligned(v + c), Lanes(0.0F), zeros);
            }
            finite = finite && xsimd::all(zeros == Lanes(0.0F));
            for (; c < s_.value_dim; ++c) finite = finite && v[c] * 0.0F == 0.0F;
        }
        return finite;
    }

    // What the lane block sees of the tile, over all heads of the group.
    Sight classify(const Rows& rows, std::int64_t row, std::int64_t row_count, std::int64_t key,
                   std::int64_t keys) const {
        const std::int64_t query = rows.query(row);
        const std::int64_t queries = rows.query(row + row_count - 1) - query + 1;
        const bool heads_differ = p_.mask.has_allowed() || p_.mask.has_bias();
        const std::int64_t heads = heads_differ ? rows.group : 1;
        Sight together = Sight::none;
        for (std::int64_t g = 0; g < heads; ++g) {
            const Sight sight = p_.mask.classify(rows.batch, rows.kv_head * rows.group + g, query,
                                                 queries, key, keys);
            if (g == 0) together = sight;
            if (sight != together || sight == Sight::some) return Sight::some;
        }
        return together;
    }

    // scores[6][2W] = k . q: 12 accumulators, D steps.
    [[gnu::noinline]] void score_panel(const float* q, const float* k, float* scores) const {
        Lanes sum[panel][2];
        for (int a = 0; a < panel; ++a) sum[a][0] = sum[a][1] = Lanes(0.0F);
        for (std::int64_t d = 0; d < s_.head_dim; ++d) {
            const Lanes q0 = Lanes::load_aligned(q + d * block_rows);
            const Lanes q1 = Lanes::load_aligned(q + d * block_rows + width);
            for (int a = 0; a < panel; ++a) {
                const Lanes key(k[d * panel + a]);
                sum[a][0] = simd::multiply_add<Arch>(key, q0, sum[a][0]);
                sum[a][1] = simd::multiply_add<Arch>(key, q1, sum[a][1]);
            }
        }
        for (int a = 0; a < panel; ++a) {
            sum[a][0].store_aligned(scores + a * block_rows);
            sum[a][1].store_aligned(scores + a * block_rows + width);
        }
    }

    void cap_scores(std::int64_t keys) {
        const Lanes cap(p_.softcap);
        for (std::int64_t at = 0; at < keys * block_rows; at += width) {
            const Lanes score = Lanes::load_aligned(scores_.data() + at);
            (cap * xsimd::tanh(score / cap)).store_aligned(scores_.data() + at);
        }
    }

    void add_bias(const Rows& rows, std::int64_t row, std::int64_t row_count, std::int64_t key,
                  std::int64_t keys) {
        for (std::int64_t r = 0; r < row_count; ++r) {
            const std::int64_t head = rows.head(row + r);
            const std::int64_t query = rows.query(row + r);
            for (std::int64_t j = 0; j < keys; ++j) {
                scores_[j * block_rows + r] += p_.mask.bias(rows.batch, head, query, key + j);
            }
        }
    }

    // Puts -infinity where a key is hidden, whatever the score was.
    void hide(const Rows& rows, std::int64_t row, std::int64_t row_count, std::int64_t key,
              std::int64_t keys) {
        if (p_.mask.has_allowed() || p_.mask.has_bias()) {
            for (std::int64_t r = 0; r < row_count; ++r) {
                const std::int64_t head = rows.head(row + r);
                const std::int64_t query = rows.query(row + r);
                for (std::int64_t j = 0; j < keys; ++j) {
                    if (!p_.mask.visible(rows.batch, head, query, key + j)) {
                        scores_[j * block_rows + r] = minus_infinity;
                    }
                }
            }
            return;
        }
        hide_by_position(rows, row, row_count, key, keys);
    }

    // The same from positions alone, a vector of queries at a time: a query sees
    // a range of positions. Lanes past the last row see nothing.
    void hide_by_position(const Rows& rows, std::int64_t row, std::int64_t row_count,
                          std::int64_t key, std::int64_t keys) {
        alignas(64) std::array<std::int32_t, block_rows> first;
        alignas(64) std::array<std::int32_t, block_rows> last;
        first.fill(1);
        last.fill(0);
        for (std::int64_t r = 0; r < row_count; ++r) {
            const std::int64_t position =
                p_.mask.query_position(rows.batch, rows.query(row + r));
            const Mask::Range range = p_.mask.range(position);
            first[r] = to_int32(range.first);
            last[r] = to_int32(range.last);
        }
        for (int half = 0; half < block_rows; half += width) {
            const Integers from = Integers::load_aligned(first.data() + half);
            const Integers to = Integers::load_aligned(last.data() + half);
            for (std::int64_t j = 0; j < keys; ++j) {
                const Integers position(to_int32(p_.mask.key_position(rows.batch, key + j)));
                const auto seen = xsimd::batch_bool_cast<float>((position >= from) & (position <= to));
                float* scores = scores_.data() + j * block_rows + half;
                xsimd::select(seen, Lanes::load_aligned(scores), Lanes(minus_infinity))
                    .store_aligned(scores);
            }
        }
    }

    static std::int32_t to_int32(std::int64_t position) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(
            position, std::numeric_limits<std::int32_t>::min(),
            std::numeric_limits<std::int32_t>::max()));
    }

    void remember_visible(std::int64_t keys) {
        for (std::int64_t at = 0; at < keys * block_rows; ++at) {
            visible_[at] = scores_[at] != minus_infinity;
        }
    }

    // The online step for all lanes: scores become exp(score - max), sum and
    // output are scaled down to the new maximum (Milakov & Gimelshein 2018).
    [[gnu::noinline]] void softmax(std::int64_t block, std::int64_t keys) {
        for (int half = 0; half < block_rows; half += width) {
            float* max_at = max_.data() + block * block_rows + half;
            float* sum_at = sum_.data() + block * block_rows + half;
            float* scores = scores_.data() + half;
            const Lanes old_max = Lanes::load_aligned(max_at);
            Lanes max = old_max;
            for (std::int64_t j = 0; j < keys; ++j) {
                max = xsimd::max(max, Lanes::load_aligned(scores + j * block_rows));
            }
            max.store_aligned(max_at);

            // A lane that has seen no key yet has no maximum to subtract.
            const Lanes none(minus_infinity);
            const Lanes subtract = xsimd::select(max == none, Lanes(0.0F), max);
            Lanes sum(0.0F);
            for (std::int64_t j = 0; j < keys; ++j) {
                const Lanes score = Lanes::load_aligned(scores + j * block_rows);
                const Lanes weight = simd::exponential<Arch>(score - subtract);
                weight.store_aligned(scores + j * block_rows);
                sum += weight;
            }
            const Lanes shrink = simd::exponential<Arch>(old_max - subtract);
            simd::multiply_add<Arch>(Lanes::load_aligned(sum_at), shrink, sum)
                .store_aligned(sum_at);
            if (xsimd::any((max != old_max) & (old_max != none))) {
                shrink_output(block, half, shrink);
            }
        }
    }

    void shrink_output(std::int64_t block, int half, Lanes shrink) {
        float* output = accumulated_.data() + block * s_.value_dim * block_rows + half;
        for (std::int64_t c = 0; c < s_.value_dim; ++c) {
            (Lanes::load_aligned(output + c * block_rows) * shrink)
                .store_aligned(output + c * block_rows);
        }
    }

    // accumulated[Columns][2W] += sum_j weight[j][2W] * v[j][Columns]
    template <int Columns>
    [[gnu::noinline]] void add_values(const float* v, std::int64_t keys, float* accumulated) const {
        Lanes sum[Columns][2];
        for (int c = 0; c < Columns; ++c) {
            sum[c][0] = Lanes::load_aligned(accumulated + c * block_rows);
            sum[c][1] = Lanes::load_aligned(accumulated + c * block_rows + width);
        }
        const float* weights = scores_.data();
        for (std::int64_t j = 0; j < keys; ++j) {
            const Lanes weight0 = Lanes::load_aligned(weights + j * block_rows);
            const Lanes weight1 = Lanes::load_aligned(weights + j * block_rows + width);
            for (int c = 0; c < Columns; ++c) {
                const Lanes value(v[c]);
                sum[c][0] = simd::multiply_add<Arch>(value, weight0, sum[c][0]);
                sum[c][1] = simd::multiply_add<Arch>(value, weight1, sum[c][1]);
            }
            v += p_.v.row_stride;
        }
        for (int c = 0; c < Columns; ++c) {
            sum[c][0].store_aligned(accumulated + c * block_rows);
            sum[c][1].store_aligned(accumulated + c * block_rows + width);
        }
    }

    void add_value_tail(std::int64_t columns, const float* v, std::int64_t keys,
                        float* accumulated) const {
        static_assert(panel == 6, "a tail is 0 to 5 columns");
        switch (columns) {
            case 1: add_values<1>(v, keys, accumulated); break;
            case 2: add_values<2>(v, keys, accumulated); break;
            case 3: add_values<3>(v, keys, accumulated); break;
            case 4: add_values<4>(v, keys, accumulated); break;
            case 5: add_values<5>(v, keys, accumulated); break;
            default: break;
        }
    }

    // The careful way for tiles with NaN or infinity among the values: a hidden
    // slot is skipped, not multiplied by 0.
    void add_visible_values(const Rows& rows, std::int64_t key, std::int64_t keys,
                            float* accumulated) const {
        for (std::int64_t j = 0; j < keys; ++j) {
            const float* v = p_.v.row(rows.batch, rows.kv_head, key + j);
            for (int r = 0; r < block_rows; ++r) {
                if (!visible_[j * block_rows + r]) continue;
                const float weight = scores_[j * block_rows + r];
                for (std::int64_t c = 0; c < s_.value_dim; ++c) {
                    accumulated[c * block_rows + r] += weight * v[c];
                }
            }
        }
    }

    // output[row][c] = accumulated / sum; zeros for a row that saw no key.
    void write_output(const Rows& rows, std::int64_t first, std::int64_t count) const {
        for (std::int64_t r = 0; r < count; ++r) {
            const std::int64_t block = r / block_rows;
            const float* from =
                accumulated_.data() + block * s_.value_dim * block_rows + r % block_rows;
            float* into = output_.row(rows.batch, rows.head(first + r), rows.query(first + r));
            const float sum = sum_[r];
            for (std::int64_t c = 0; c < s_.value_dim; ++c) {
                into[c] = sum == 0.0F ? 0.0F : from[c * block_rows] / sum;
            }
        }
    }

    const Checked& p_;
    const Shape& s_;
    HeadView<float> output_;
    Buffer<float> packed_q_;
    Buffer<float> packed_k_;
    Buffer<float> scores_;
    Buffer<bool> visible_;
    Buffer<float> accumulated_;
    Buffer<float> max_;
    Buffer<float> sum_;
};

}  // namespace attention::tiled
