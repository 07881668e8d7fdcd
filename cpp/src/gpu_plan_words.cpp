// What each query sees, in the words that the GPU's kernels read.
#include <algorithm>
#include <limits>

#include "attention/gpu_plan.hpp"

namespace attention {

namespace {

/// What all rows of a tile see of a key tile, of a single rule: none, some or all.
Sight both(Sight a, Sight b) {
    if (a == Sight::none || b == Sight::none) return Sight::none;
    return a == Sight::all && b == Sight::all ? Sight::all : Sight::some;
}

std::uint32_t clamped(std::int64_t position) {
    constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::uint32_t>(std::clamp(position, least, most));
}

class Writer {
public:
    Writer(const Problem& problem, const GpuPlan& plan, const GpuPass& pass,
           std::span<std::uint32_t> into)
        : problem_(problem),
          shape_(problem.shape),
          pass_(pass),
          u_(pass.uniforms),
          tile_rows_(plan.rows),
          into_(into) {
        // Without the masks, so that a tile is classified by its positions alone.
        MaskRules rules = problem.mask;
        rules.allowed.reset();
        rules.bias.reset();
        // The rules have been checked: neither call can fail.
        if (!Mask::resolve(shape_, rules, positions_).ok()) return;
        if (!Mask::resolve(shape_, problem.mask, mask_).ok()) return;
    }

    std::int64_t write() {
        write_ranges();
        write_key_positions();
        write_allowed();
        write_lists();
        return at_;
    }

private:
    void put(std::uint32_t word) { into_[static_cast<std::size_t>(at_++)] = word; }

    std::int64_t batches(std::uint32_t stride) const { return stride > 0 ? pass_.batches : 1; }

    void write_ranges() {
        for (std::int64_t b = 0; b < batches(u_.ranges_batch); ++b) {
            for (std::int64_t t = 0; t < pass_.queries; ++t) {
                const Mask::Range range = positions_.range(
                    positions_.query_position(pass_.first_batch + b, pass_.first_query + t));
                put(clamped(range.first));
                put(clamped(range.last));
            }
        }
    }

    void write_key_positions() {
        if (u_.key_positions_at == 0) return;
        for (std::int64_t b = 0; b < batches(u_.key_positions_batch); ++b) {
            for (std::int64_t s = 0; s < shape_.keys; ++s) {
                put(clamped(positions_.key_position(pass_.first_batch + b, s)));
            }
        }
    }

    void write_allowed() {
        if (u_.allowed_at == 0) return;
        const auto sizes = mask_.allowed_sizes(shape_);
        const std::int64_t first_head = pass_.first_kv_head * shape_.group();
        const std::int64_t heads = sizes[1] > 1 ? pass_.kv_heads * shape_.group() : 1;
        const std::int64_t queries = sizes[2] > 1 ? pass_.queries : 1;
        for (std::int64_t b = 0; b < batches(u_.allowed_batch); ++b) {
            for (std::int64_t h = 0; h < heads; ++h) {
                for (std::int64_t t = 0; t < queries; ++t) {
                    const std::int64_t batch = sizes[0] > 1 ? pass_.first_batch + b : 0;
                    const std::int64_t head = sizes[1] > 1 ? first_head + h : 0;
                    const std::int64_t query = sizes[2] > 1 ? pass_.first_query + t : 0;
                    const std::int64_t row = (batch * sizes[1] + head) * sizes[2] + query;
                    // Only a problem that has a list has words for it.
                    // NOLINTNEXTLINE(bugprone-unchecked-optional-access)
                    write_allowed_row(problem_.mask.allowed->values.data() + row * sizes[3],
                                      sizes[3] > 1);
                }
            }
        }
    }

    void write_allowed_row(const std::uint8_t* values, bool by_key) {
        for (std::int64_t first = 0; first < shape_.keys; first += gpu_tile_keys) {
            const std::int64_t count = std::min(gpu_tile_keys, shape_.keys - first);
            std::uint32_t word = 0;
            for (std::int64_t key = 0; key < count; ++key) {
                if (values[by_key ? first + key : 0] != 0) word |= std::uint32_t{1} << key;
            }
            put(word);
        }
    }

    void write_lists() {
        const std::int64_t list_heads = u_.lists_head > 0 ? pass_.kv_heads : 1;
        std::int64_t start = at_;
        at_ += batches(u_.lists_batch) * list_heads * u_.row_tiles + 1;
        for (std::int64_t b = 0; b < batches(u_.lists_batch); ++b) {
            for (std::int64_t h = 0; h < list_heads; ++h) {
                for (std::int64_t tile = 0; tile < u_.row_tiles; ++tile) {
                    into_[static_cast<std::size_t>(start++)] = static_cast<std::uint32_t>(at_);
                    write_list(b, h, tile);
                }
            }
        }
        into_[static_cast<std::size_t>(start)] = static_cast<std::uint32_t>(at_);
    }

    void write_list(std::int64_t b, std::int64_t h, std::int64_t tile) {
        const std::int64_t first_row = tile * tile_rows_;
        const std::int64_t end_row = std::min<std::int64_t>(first_row + tile_rows_, u_.rows);
        const std::int64_t batch = pass_.first_batch + b;
        const std::int64_t query = pass_.first_query + first_row / u_.group;
        const std::int64_t queries = pass_.first_query + (end_row - 1) / u_.group + 1 - query;
        const Mask::Keys reach = positions_.reach(batch, query, queries, shape_.keys);
        for (std::int64_t k = reach.begin / gpu_tile_keys; k * gpu_tile_keys < reach.end; ++k) {
            const std::int64_t key = k * gpu_tile_keys;
            const std::int64_t keys = std::min(gpu_tile_keys, shape_.keys - key);
            Sight sight = positions_.classify(batch, 0, query, queries, key, keys);
            if (u_.allowed_at > 0) sight = both(sight, allowed_sight(b, h, first_row, end_row, k));
            if (sight == Sight::none) continue;
            const bool partly = sight == Sight::some || keys < gpu_tile_keys || u_.has_bias > 0;
            put(static_cast<std::uint32_t>(2 * k + (partly ? 1 : 0)));
        }
    }

    Sight allowed_sight(std::int64_t b, std::int64_t h, std::int64_t first_row,
                        std::int64_t end_row, std::int64_t key_tile) const {
        std::uint32_t any = 0;
        std::uint32_t all = ~std::uint32_t{0};
        for (std::int64_t row = first_row; row < end_row; ++row) {
            const std::int64_t query = row / u_.group;
            const std::int64_t head = h * u_.group + row % u_.group;
            const std::uint32_t word = into_[static_cast<std::size_t>(
                u_.allowed_at + b * u_.allowed_batch + head * u_.allowed_head +
                query * u_.allowed_query + key_tile)];
            any |= word;
            all &= word;
        }
        if (any == 0) return Sight::none;
        return all == ~std::uint32_t{0} ? Sight::all : Sight::some;
    }

    const Problem& problem_;
    const Shape& shape_;
    const GpuPass& pass_;
    const GpuUniforms& u_;
    std::int64_t tile_rows_;
    std::span<std::uint32_t> into_;
    Mask mask_;
    Mask positions_;
    std::int64_t at_ = 0;
};

}  // namespace

std::int64_t fill_gpu_words(const Problem& problem, const GpuPlan& plan, const GpuPass& pass,
                            std::span<std::uint32_t> into) {
    return Writer(problem, plan, pass, into).write();
}

}  // namespace attention
