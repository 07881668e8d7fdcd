// The tiled kernel, the one that production uses: exact attention without the
// matrix of scores (FlashAttention: Dao et al. 2022, algorithm 1; the loop order
// of FlashAttention-2: Dao 2023, section 3.1), in SIMD registers.
//
// Queries lie in the lanes. A *block* is 2 * W rows of queries, W being the width
// of a vector; everything that belongs to a query (its scores, maximum, sum,
// output) is a column of a block, so that the softmax is vertical and no vector
// is ever summed across. For grouped heads the lanes hold the queries of all
// heads of a group, next to each other by position: row r of a KV head is query
// r / G of the group's head r % G.
//
//     packed q   [blocks][D][2W]          queries of a super-block, scaled
//     packed k   [tile / P][D][P]         one tile of keys, P of them abreast
//     v          as it lies               [S][Dv]
//     scores     [tile][2W]               of one block and one tile
//     output     [blocks][Dv][2W]         not yet divided by the sum
//     max, sum   [blocks][2W]
//
// Loops, outermost first: batch, KV head, super-block of rows, tile of keys,
// block. A tile that the mask hides from a block is skipped and one at the edge
// of what the block can reach is cut down, so a window of w keys costs O(T * w);
// a tile that a block sees whole pays for no mask.
//
// Reads and writes: k and v once for each super-block of 256 rows instead of
// once for each row; the scores of a tile stay in the first-level cache. Memory:
// a few hundred KB, whatever T and S.
//
// Place on the ladder (T 1024, D 64, causal, WebAssembly, one thread; visible pairs
// only): 34 to 36 GFLOP/s with relaxed SIMD, 26 with plain SIMD, 83 to 86 % of what a
// loop of nothing but multiply-adds reaches on a processor where that is 41 and 31; on
// one where it is 54 and 49, 43 and 38 (76 %). T 2048: 89 to 90 % and 80 %; on the other
// 81 and 79 %. The rest goes to exp() and the softmax (12 %), packing and copying in and
// out (5 %).
// T 256: 71 to 76 % of a call that is repeated, 63 and 70 % of one that finds the
// caches full of other things; on the other processor, whose page faults are dear, 68 %
// over the last output and 54 into new memory. Packing and copies are 11 % there, and
// 3.5 % of the multiply-adds are for pairs on the diagonal that nobody sees. Transposing
// in registers while packing gained 2 % there and was not worth it.
// The first call in a process (T 4096, H 1) takes 1.2 times as long as later ones on the
// first processor and 1.7 times on the other: V8 begins in its baseline compiler, and 2,800
// pages are touched for the first time, where a later call touches 260.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "buffer.hpp"
#include "exponential.hpp"
#include "register_tile.hpp"
#include "rows.hpp"
#include "simd.hpp"
#include "values.hpp"

namespace attention::tiled {

inline constexpr int tile_keys = 48 / panel * panel;
inline constexpr int superblock_rows = 256;

template <class Arch>
class Kernel {
    using Tile = RegisterTile<Arch>;
    using Lanes = simd::Floats<Arch>;
    using Integers = simd::Integers<Arch>;
    static constexpr int width = Tile::width;
    static constexpr int block_rows = Tile::rows;

public:
    Kernel(const Checked& problem, HeadView<float> output)
        : p_(problem), s_(problem.shape), output_(output) {}

    Status run() {
        if (!reserve()) return out_of_memory("the tiles of queries and keys");
        each_run_of_rows(s_, superblock_rows, [&](const Rows& rows) { attend_superblock(rows); });
        return {};
    }

private:
    bool reserve() {
        const std::int64_t rows =
            std::min<std::int64_t>(superblock_rows, s_.group() * s_.queries) + block_rows;
        return packed_q_.reserve(saturating_product({rows, s_.head_dim})) &&
               packed_k_.reserve(saturating_product({tile_keys, s_.head_dim})) &&
               scores_.reserve(tile_keys * block_rows) && hidden_.reserve(tile_keys * block_rows) &&
               accumulated_.reserve(saturating_product({rows, s_.value_dim})) &&
               max_.reserve(rows) && sum_.reserve(rows);
    }

    void attend_superblock(const Rows& rows) {
        const std::int64_t blocks = (rows.count + block_rows - 1) / block_rows;
        pack_queries(rows, blocks);
        std::fill_n(accumulated_.data(), blocks * block_rows * s_.value_dim, 0.0F);
        std::fill_n(max_.data(), blocks * block_rows, minus_infinity);
        std::fill_n(sum_.data(), blocks * block_rows, 0.0F);

        const Keys reach = within_reach(p_, rows, {0, s_.keys}, tile_keys);
        const std::int64_t end = reach.first + reach.count;
        for (std::int64_t key = reach.first; key < end; key += tile_keys) {
            attend_tile(rows, blocks, {key, std::min<std::int64_t>(tile_keys, end - key)});
        }
        write_output(rows, blocks);
    }

    // All blocks of a super-block against one tile of keys, which is packed when the
    // first block needs it.
    void attend_tile(const Rows& rows, std::int64_t blocks, const Keys& tile) {
        bool packed = false;
        bool finite = true;
        for (std::int64_t block = 0; block < blocks; ++block) {
            const Rows part = rows.part(block * block_rows, block_rows);
            const Keys keys = within_reach(p_, part, tile, panel);
            if (keys.count <= 0) continue;
            const Sight sight = classify(p_.mask, part, keys);
            if (sight == Sight::none) continue;
            if (!packed) {
                pack_keys(rows, tile);
                finite = values_are_finite<Arch>(p_, rows, tile);
                packed = true;
            }
            const float* k = packed_k_.data() + (keys.first - tile.first) * s_.head_dim;
            attend_block(part, block, keys, k, sight, finite);
        }
    }

    // One block against the keys of a tile, or a part of it.
    [[gnu::noinline]] void attend_block(const Rows& rows, std::int64_t block, const Keys& keys,
                                        const float* k, Sight sight, bool finite) {
        const float* q = packed_q_.data() + block * s_.head_dim * block_rows;
        for (std::int64_t j = 0; j < keys.count; j += panel) {
            Tile::score_panel(q, k + j * s_.head_dim, s_.head_dim, scores_.data() + j * block_rows);
        }
        if (p_.softcap > 0.0F) cap_scores(keys.count);
        if (p_.mask.has_bias()) add_bias(rows, keys);
        if (sight == Sight::some) hide(rows, keys);
        if (!finite) std::copy_n(scores_.data(), keys.count * block_rows, hidden_.data());
        softmax(block, keys.count);

        float* accumulated = accumulated_.data() + block * s_.value_dim * block_rows;
        if (finite) {
            Tile::add_all_values(scores_.data(), p_.v.row(rows.batch, rows.kv_head, keys.first),
                                 p_.v.row_stride, keys.count, s_.value_dim, accumulated);
        } else {
            add_visible_values(rows, keys, accumulated);
        }
    }

    // packed[block][d][lane] = scale * q[row][d]; lanes past the last row are 0.
    void pack_queries(const Rows& rows, std::int64_t blocks) {
        const auto dim = static_cast<std::ptrdiff_t>(s_.head_dim);
        for (std::int64_t r = 0; r < blocks * block_rows; ++r) {
            float* lane = packed_q_.data() + (r / block_rows) * dim * block_rows + r % block_rows;
            if (r >= rows.count) {
                for (std::ptrdiff_t d = 0; d < dim; ++d) lane[d * block_rows] = 0.0F;
                continue;
            }
            const float* q = p_.q.row(rows.batch, rows.head(r), rows.query(r));
            for (std::ptrdiff_t d = 0; d < dim; ++d) lane[d * block_rows] = p_.scale * q[d];
        }
    }

    // packed[j / P][d][j % P] = k[first + j][d]. A last panel that is not full
    // repeats the last key; what comes of that is never looked at.
    [[gnu::noinline]] void pack_keys(const Rows& rows, const Keys& keys) {
        const auto dim = static_cast<std::ptrdiff_t>(s_.head_dim);
        float* into = packed_k_.data();
        for (std::int64_t j = 0; j < keys.count; j += panel) {
            const float* key[panel];
            for (int a = 0; a < panel; ++a) {
                const std::int64_t row = std::min(j + a, keys.count - 1);
                key[a] = p_.k.row(rows.batch, rows.kv_head, keys.first + row);
            }
            for (std::ptrdiff_t d = 0; d < dim; ++d) {
                for (int a = 0; a < panel; ++a) *into++ = key[a][d];
            }
        }
    }

    [[gnu::cold]] void cap_scores(std::int64_t keys) {
        const Lanes cap(p_.softcap);
        for (std::int64_t at = 0; at < keys * block_rows; at += width) {
            const Lanes score = Lanes::load_aligned(scores_.data() + at);
            (cap * xsimd::tanh(score / cap)).store_aligned(scores_.data() + at);
        }
    }

    [[gnu::cold]] void add_bias(const Rows& rows, const Keys& keys) {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            for (std::int64_t j = 0; j < keys.count; ++j) {
                scores_[j * block_rows + r] +=
                    p_.mask.bias(rows.batch, rows.head(r), rows.query(r), keys.first + j);
            }
        }
    }

    // Puts -infinity where a key is hidden, whatever the score was.
    void hide(const Rows& rows, const Keys& keys) {
        if (!p_.mask.has_allowed() && !p_.mask.has_bias()) return hide_by_position(rows, keys);
        for (std::int64_t r = 0; r < rows.count; ++r) {
            for (std::int64_t j = 0; j < keys.count; ++j) {
                if (!p_.mask.visible(rows.batch, rows.head(r), rows.query(r), keys.first + j)) {
                    scores_[j * block_rows + r] = minus_infinity;
                }
            }
        }
    }

    // The same from positions alone, a vector of queries at a time: a query sees
    // a range of positions. Lanes past the last row see nothing.
    void hide_by_position(const Rows& rows, const Keys& keys) {
        alignas(64) std::array<std::int32_t, block_rows> first;
        alignas(64) std::array<std::int32_t, block_rows> last;
        first.fill(1);
        last.fill(0);
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const Mask::Range range =
                p_.mask.range(p_.mask.query_position(rows.batch, rows.query(r)));
            first[r] = to_int32(range.first);
            last[r] = to_int32(range.last);
        }
        for (int half = 0; half < block_rows; half += width) {
            const Integers from = Integers::load_aligned(first.data() + half);
            const Integers to = Integers::load_aligned(last.data() + half);
            for (std::int64_t j = 0; j < keys.count; ++j) {
                const Integers at(to_int32(p_.mask.key_position(rows.batch, keys.first + j)));
                const auto seen = xsimd::batch_bool_cast<float>((at >= from) & (at <= to));
                float* scores = scores_.data() + j * block_rows + half;
                xsimd::select(seen, Lanes::load_aligned(scores), Lanes(minus_infinity))
                    .store_aligned(scores);
            }
        }
    }

    static std::int32_t to_int32(std::int64_t position) {
        return static_cast<std::int32_t>(
            std::clamp<std::int64_t>(position, std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int32_t>::max()));
    }

    // The online step for all lanes: scores become exp(score - max), sum and
    // output are scaled down to the new maximum (Milakov & Gimelshein 2018).
    [[gnu::noinline]] void softmax(std::int64_t block, std::int64_t keys) {
        float* max_at = max_.data() + block * block_rows;
        float* sum_at = sum_.data() + block * block_rows;
        const Lanes old_max0 = Lanes::load_aligned(max_at);
        const Lanes old_max1 = Lanes::load_aligned(max_at + width);
        Lanes max0 = old_max0;
        Lanes max1 = old_max1;
        const float* score = scores_.data();
        for (int left = static_cast<int>(keys); left > 0; --left) {
            max0 = xsimd::max(max0, Lanes::load_aligned(score));
            max1 = xsimd::max(max1, Lanes::load_aligned(score + width));
            score += block_rows;
        }
        max0.store_aligned(max_at);
        max1.store_aligned(max_at + width);

        // A lane that has seen no key yet has no maximum to subtract.
        const Lanes none(minus_infinity);
        const Lanes subtract0 = xsimd::select(max0 == none, Lanes(0.0F), max0);
        const Lanes subtract1 = xsimd::select(max1 == none, Lanes(0.0F), max1);
        Lanes sum0(0.0F);
        Lanes sum1(0.0F);
        float* weight = scores_.data();
        for (int left = static_cast<int>(keys); left > 0; --left) {
            const Lanes weight0 = simd::exponential<Arch>(Lanes::load_aligned(weight) - subtract0);
            const Lanes weight1 =
                simd::exponential<Arch>(Lanes::load_aligned(weight + width) - subtract1);
            weight0.store_aligned(weight);
            weight1.store_aligned(weight + width);
            sum0 += weight0;
            sum1 += weight1;
            weight += block_rows;
        }
        const Lanes shrink0 = simd::exponential<Arch>(old_max0 - subtract0);
        const Lanes shrink1 = simd::exponential<Arch>(old_max1 - subtract1);
        simd::multiply_add<Arch>(Lanes::load_aligned(sum_at), shrink0, sum0).store_aligned(sum_at);
        simd::multiply_add<Arch>(Lanes::load_aligned(sum_at + width), shrink1, sum1)
            .store_aligned(sum_at + width);
        if (xsimd::any((max0 != old_max0) | (max1 != old_max1))) {
            scale_output(block, shrink0, shrink1);
        }
    }

    void scale_output(std::int64_t block, Lanes factor0, Lanes factor1) {
        float* output = accumulated_.data() + block * s_.value_dim * block_rows;
        for (std::int64_t c = 0; c < s_.value_dim; ++c) {
            (Lanes::load_aligned(output) * factor0).store_aligned(output);
            (Lanes::load_aligned(output + width) * factor1).store_aligned(output + width);
            output += block_rows;
        }
    }

    // The careful way for tiles with NaN or infinity among the values: where the
    // score was -infinity, the slot is skipped and not multiplied by 0. Elsewhere
    // it is what RegisterTile does, step by step and so bit for bit.
    [[gnu::cold]] void add_visible_values(const Rows& rows, const Keys& keys, float* accumulated) {
        for (std::int64_t j = 0; j < keys.count; ++j) {
            const float* v = p_.v.row(rows.batch, rows.kv_head, keys.first + j);
            for (int half = 0; half < block_rows; half += width) {
                const std::int64_t at = j * block_rows + half;
                const auto visible = Lanes::load_aligned(hidden_.data() + at) != minus_infinity;
                const Lanes weight = Lanes::load_aligned(scores_.data() + at);
                for (std::int64_t c = 0; c < s_.value_dim; ++c) {
                    float* into = accumulated + c * block_rows + half;
                    const Lanes before = Lanes::load_aligned(into);
                    const Lanes after = simd::multiply_add<Arch>(Lanes(v[c]), weight, before);
                    xsimd::select(visible, after, before).store_aligned(into);
                }
            }
        }
    }

    // output[row][c] = accumulated / sum; zeros for a row that saw no key.
    void write_output(const Rows& rows, std::int64_t blocks) {
        for (std::int64_t block = 0; block < blocks; ++block) divide_by_sum(block);
        const auto dim = static_cast<std::ptrdiff_t>(s_.value_dim);
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const float* lane =
                accumulated_.data() + (r / block_rows) * dim * block_rows + r % block_rows;
            float* into = output_.row(rows.batch, rows.head(r), rows.query(r));
            for (std::ptrdiff_t c = 0; c < dim; ++c) into[c] = lane[c * block_rows];
        }
    }

    void divide_by_sum(std::int64_t block) {
        for (int half = 0; half < block_rows; half += width) {
            const Lanes sum = Lanes::load_aligned(sum_.data() + block * block_rows + half);
            const auto empty = sum == Lanes(0.0F);
            float* output = accumulated_.data() + block * s_.value_dim * block_rows + half;
            for (std::int64_t c = 0; c < s_.value_dim; ++c) {
                const Lanes quotient = Lanes::load_aligned(output) / sum;
                xsimd::select(empty, Lanes(0.0F), quotient).store_aligned(output);
                output += block_rows;
            }
        }
    }

    const Checked& p_;
    const Shape& s_;
    HeadView<float> output_;
    Buffer<float> packed_q_;
    Buffer<float> packed_k_;
    Buffer<float> scores_;
    Buffer<float> hidden_;  // scores before the softmax, for add_visible_values()
    Buffer<float> accumulated_;
    Buffer<float> max_;
    Buffer<float> sum_;
};

template <class Arch>
Status attend(const Checked& problem, HeadView<float> output) {
    return Kernel<Arch>(problem, output).run();
}

}  // namespace attention::tiled
