// The two inner loops of the tiled kernel, in registers (Goto & van de Geijn
// 2008, section 4). Queries lie in the lanes: two vectors of W queries each.
//
//     scores   [P][2W]  = k [D][P] . q [D][2W]               one panel of keys
//     output  [C][2W]  += v [keys][C] . weights [keys][2W]   C <= P features
//
// Both hold 2 P accumulators; with 2 vectors of queries (or weights) and one splat key
// (or value) they fill the registers. P is 6, but 5 where a multiply-add is two
// instructions in WebAssembly: with 6 V8 spills, which a processor that multiplies and
// adds once a cycle hides (31 GFLOP/s at most), and one that does so twice (50) does
// not: 26 GFLOP/s with 6 there, 35 with 4, 38 with 5. A step loads 2 + P values for
// 2 P multiply-adds, all of them in the order in which they lie. Steps are not unrolled
// by hand: four to a turn made V8 spill the accumulators and cost a third of the speed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd.hpp"

namespace attention::tiled {

// Keys, or features of v, side by side.
inline constexpr int panel = (simd::registers - 3) / 2;

template <class Arch>
struct RegisterTile {
    using Lanes = simd::Floats<Arch>;
    static constexpr int width = static_cast<int>(Lanes::size);
    static constexpr int rows = 2 * width;

    // Each accumulator of `Columns` by 2 takes `steps` multiply-adds of a splat
    // from `narrow`, which moves on by `stride`, and a vector from `wide`.
    template <int Columns>
    [[gnu::always_inline]] static void multiply(Lanes (&sum)[Columns][2], const float* wide,
                                                const float* narrow, std::ptrdiff_t stride,
                                                std::int64_t steps) {
        for (int left = static_cast<int>(steps); left > 0; --left) {
            const Lanes wide0 = Lanes::load_aligned(wide);
            const Lanes wide1 = Lanes::load_aligned(wide + width);
            for (int c = 0; c < Columns; ++c) {
                const Lanes splat(narrow[c]);
                sum[c][0] = simd::multiply_add<Arch>(splat, wide0, sum[c][0]);
                sum[c][1] = simd::multiply_add<Arch>(splat, wide1, sum[c][1]);
            }
            wide += rows;
            narrow += stride;
        }
    }

    [[gnu::noinline]] static void score_panel(const float* q, const float* k, std::int64_t dim,
                                              float* scores) {
        Lanes sum[panel][2];
        for (int a = 0; a < panel; ++a) sum[a][0] = sum[a][1] = Lanes(0.0F);
        multiply<panel>(sum, q, k, panel, dim);
        for (int a = 0; a < panel; ++a) {
            sum[a][0].store_aligned(scores + a * rows);
            sum[a][1].store_aligned(scores + a * rows + width);
        }
    }

    template <int Columns>
    [[gnu::noinline]] static void add_values(const float* weights, const float* v,
                                             std::int64_t row_stride, std::int64_t keys,
                                             float* output) {
        Lanes sum[Columns][2];
        for (int c = 0; c < Columns; ++c) {
            sum[c][0] = Lanes::load_aligned(output + c * rows);
            sum[c][1] = Lanes::load_aligned(output + c * rows + width);
        }
        multiply<Columns>(sum, weights, v, static_cast<std::ptrdiff_t>(row_stride), keys);
        for (int c = 0; c < Columns; ++c) {
            sum[c][0].store_aligned(output + c * rows);
            sum[c][1].store_aligned(output + c * rows + width);
        }
    }

    // All features: whole panels, then the few that are left.
    static void add_all_values(const float* weights, const float* v, std::int64_t row_stride,
                               std::int64_t keys, std::int64_t value_dim, float* output) {
        std::int64_t c = 0;
        for (; c + panel <= value_dim; c += panel) {
            add_values<panel>(weights, v + c, row_stride, keys, output + c * rows);
        }
        const float* last = v + c;
        float* into = output + c * rows;
        static_assert(panel <= 6, "at most 5 features are left");
        switch (value_dim - c) {
            case 1: add_values<1>(weights, last, row_stride, keys, into); break;
            case 2: add_values<2>(weights, last, row_stride, keys, into); break;
            case 3: add_values<3>(weights, last, row_stride, keys, into); break;
            case 4: add_values<4>(weights, last, row_stride, keys, into); break;
            case 5: add_values<panel - 1>(weights, last, row_stride, keys, into); break;
            default: break;
        }
    }
};

}  // namespace attention::tiled
