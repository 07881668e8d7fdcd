// How a problem is cut into passes and tiles under an adapter's limits.
#include "attention/gpu_plan.hpp"

#include <algorithm>

#include "checked.hpp"
#include "sentence.hpp"

namespace attention {

namespace {

constexpr std::int64_t word_bytes = 4;

/// The driver binds whole vectors of so many bytes.
constexpr std::int64_t vector_bytes = 16;

/// What the driver reads back behind an output: two times of 8 bytes, aligned to 8.
constexpr std::int64_t times_bytes = 24;

/// Values of a row that the kernels stage at once.
constexpr std::int64_t chunk_values = 32;

std::int64_t rounded_up(std::int64_t count, std::int64_t step) {
    return (count + step - 1) / step * step;
}

std::int64_t tiles(std::int64_t count, std::int64_t size) { return rounded_up(count, size) / size; }

/// The sizes of a pass.
struct Cut {
    std::int64_t batches;
    std::int64_t kv_heads;
    std::int64_t queries;
};

class Planner {
public:
    Planner(const Problem& problem, GpuTask task, const GpuLimits& limits, const Mask& mask)
        : shape_(problem.shape),
          layout_(problem.layout),
          task_(task),
          limits_(limits),
          mask_(mask),
          has_key_positions_(problem.mask.key_positions.has_value()),
          scale_(scale_of(problem)),
          softcap_(static_cast<float>(problem.softcap)) {
        if (mask.has_allowed()) allowed_ = mask.allowed_sizes(shape_);
        if (mask.has_bias()) bias_ = mask.bias_sizes(shape_);
        query_batches_ = sets(problem.mask.query_positions, shape_.queries);
        key_batches_ = sets(problem.mask.key_positions, shape_.keys);
        tile_rows_ = tile_rows();
    }

    Status plan(GpuPlan& into) {
        GpuPlan made;
        made.capped = softcap_ != 0.0F;
        made.aligned = shape_.head_dim % 4 == 0 && shape_.value_dim % 4 == 0;
        if (shape_.value_dim > gpu_max_value_dim) {
            return too_large("valueDim", "value dimensions", gpu_max_value_dim, shape_.value_dim);
        }
        Cut cut{shape_.batch, shape_.kv_heads, shape_.queries};
        if (output_values(cut) == 0) {
            into = std::move(made);
            return {};
        }
        made.rows = tile_rows_;
        made.chunks = chunks();
        if (Status status = choose_cut(cut); !status.ok()) return status;
        for (std::int64_t b = 0; b < shape_.batch; b += cut.batches) {
            for (std::int64_t h = 0; h < shape_.kv_heads; h += cut.kv_heads) {
                for (std::int64_t t = 0; t < shape_.queries; t += cut.queries) {
                    made.passes.push_back(pass_at(b, h, t, cut));
                }
            }
        }
        into = std::move(made);
        return {};
    }

private:
    /// Position sets: one for all batch items, or one each.
    std::int64_t sets(const std::optional<std::span<const std::int32_t>>& positions,
                      std::int64_t count) const {
        const bool shared = !positions || std::ssize(*positions) == count;
        return shared ? 1 : shape_.batch;
    }

    static Status too_large(std::string_view field, std::string_view what, std::int64_t most,
                            std::int64_t needed) {
        return error(Code::too_large, field,
                     "The GPU path takes at most % % here, but this problem needs %",
                     {most, what, needed});
    }

    /// Powers of 2, so that few kernels are compiled.
    static std::int64_t power_of_two(std::int64_t least, std::int64_t needed) {
        std::int64_t power = least;
        while (power < needed) power *= 2;
        return power;
    }

    std::int64_t tile_rows() const {
        const std::int64_t rows = saturating_product({shape_.group(), shape_.queries});
        return power_of_two(gpu_least_rows, std::min(rows, gpu_most_rows));
    }
    std::int64_t chunks() const {
        return task_ == GpuTask::output ? power_of_two(1, tiles(shape_.value_dim, chunk_values))
                                        : 1;
    }

    std::int64_t row_tiles(const Cut& cut) const {
        return tiles(shape_.group() * cut.queries, tile_rows_);
    }
    std::int64_t workgroups(const Cut& cut) const {
        return saturating_product({cut.batches, cut.kv_heads, row_tiles(cut)});
    }

    /// The sizes [B, Hq, T, S] of a pass's part of a mask.
    std::array<std::int64_t, 4> part(const std::array<std::int64_t, 4>& sizes,
                                     const Cut& cut) const {
        const std::array<std::int64_t, 4> whole = {cut.batches, shape_.group() * cut.kv_heads,
                                                   cut.queries, shape_.keys};
        std::array<std::int64_t, 4> sized = sizes;
        for (std::size_t axis = 0; axis < 4; ++axis) {
            if (sizes[axis] != 1) sized[axis] = whole[axis];
        }
        return sized;
    }

    std::int64_t key_tiles() const { return tiles(shape_.keys, gpu_tile_keys); }
    std::int64_t range_words(const Cut& cut) const {
        return 2 * cut.queries * std::min(query_batches_, cut.batches);
    }
    std::int64_t key_position_words(const Cut& cut) const {
        return has_key_positions_ ? shape_.keys * std::min(key_batches_, cut.batches) : 0;
    }
    std::int64_t allowed_words(const Cut& cut) const {
        if (!mask_.has_allowed()) return 0;
        const auto sizes = part(allowed_, cut);
        return saturating_product({sizes[0], sizes[1], sizes[2], key_tiles()});
    }
    /// The batch items, and the heads, whose rows see other keys than those of others.
    std::int64_t list_batches(const Cut& cut) const {
        const bool differ = query_batches_ > 1 || key_batches_ > 1 || allowed_[0] > 1;
        return differ ? cut.batches : 1;
    }
    std::int64_t list_heads(const Cut& cut) const { return allowed_[1] > 1 ? cut.kv_heads : 1; }

    std::int64_t most_words(const Cut& cut) const {
        const std::int64_t lists =
            saturating_product({list_batches(cut), list_heads(cut), row_tiles(cut)});
        const std::int64_t parts[] = {range_words(cut), key_position_words(cut), allowed_words(cut),
                                      saturating_product({lists, key_tiles() + 1}), 1};
        constexpr std::int64_t plenty = std::int64_t{1} << 48;  // five of these are within 64 bits
        std::int64_t sum = 0;
        for (const std::int64_t count : parts) sum += std::min(count, plenty);
        return sum;
    }

    std::int64_t output_values(const Cut& cut) const {
        const std::int64_t row = task_ == GpuTask::output ? shape_.value_dim : shape_.keys;
        return saturating_product({cut.batches, cut.kv_heads, shape_.group(), cut.queries, row});
    }

    /// Values of the largest buffer.
    std::int64_t largest(const Cut& cut) const {
        const auto bias = part(bias_, cut);
        return std::max(
            {saturating_product(
                 {cut.batches, cut.kv_heads, shape_.group(), cut.queries, shape_.head_dim}),
             saturating_product({cut.batches, cut.kv_heads, shape_.keys,
                                 std::max(shape_.head_dim, shape_.value_dim)}),
             output_values(cut), most_words(cut),
             mask_.has_bias() ? saturating_product({bias[0], bias[1], bias[2], bias[3]}) : 0});
    }

    /// Halves the axes, the outermost first, until all buffers are small enough.
    Status choose_cut(Cut& cut) const {
        constexpr std::int64_t most_indices = std::int64_t{1} << 31;  // WGSL counts in 32 bits
        const std::int64_t most_bytes = std::min(limits_.max_storage_buffer_binding_size,
                                                 limits_.max_buffer_size - times_bytes);
        const std::int64_t most =
            std::min(most_bytes / vector_bytes * vector_bytes / word_bytes, most_indices);
        const std::int64_t per_axis = limits_.max_compute_workgroups_per_dimension;
        const std::int64_t most_workgroups =
            std::min(saturating_product({per_axis, per_axis, per_axis}), most_indices);
        while (largest(cut) > most || workgroups(cut) > most_workgroups) {
            std::int64_t& inner = cut.kv_heads > 1 ? cut.kv_heads : cut.queries;
            std::int64_t& axis = cut.batches > 1 ? cut.batches : inner;
            if (axis == 1) {
                return too_large("", "bytes in one buffer", most * word_bytes,
                                 saturating_product({largest(cut), word_bytes}));
            }
            axis = (axis + 1) / 2;
        }
        return {};
    }

    /// Workgroups along three axes, each within the limit.
    std::array<std::int64_t, 3> dispatch(std::int64_t count) const {
        const std::int64_t most = limits_.max_compute_workgroups_per_dimension;
        const std::int64_t x = std::min(count, most);
        const std::int64_t y = std::min(tiles(count, x), most);
        return {x, y, tiles(count, x * y)};
    }

    GpuPass pass_at(std::int64_t batch, std::int64_t kv_head, std::int64_t query,
                    const Cut& most) const {
        const Cut cut{std::min(most.batches, shape_.batch - batch),
                      std::min(most.kv_heads, shape_.kv_heads - kv_head),
                      std::min(most.queries, shape_.queries - query)};
        GpuPass pass;
        pass.first_batch = batch;
        pass.batches = cut.batches;
        pass.first_kv_head = kv_head;
        pass.kv_heads = cut.kv_heads;
        pass.first_query = query;
        pass.queries = cut.queries;
        pass.workgroups = dispatch(workgroups(cut));
        pass.output_values = output_values(cut);
        pass.most_words = most_words(cut);
        pass.uniforms = uniforms(cut);
        return pass;
    }

    GpuUniforms uniforms(const Cut& cut) const {
        const auto u32 = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
        const std::int64_t query_heads = shape_.group() * cut.kv_heads;
        GpuUniforms u;
        u.rows = u32(shape_.group() * cut.queries);
        u.group = u32(shape_.group());
        u.keys = u32(shape_.keys);
        u.head_dim = u32(shape_.head_dim);
        u.value_dim = u32(shape_.value_dim);
        u.kv_heads = u32(cut.kv_heads);
        u.heads = u32(cut.batches * cut.kv_heads);
        u.row_tiles = u32(row_tiles(cut));

        const auto strides = [&](std::int64_t heads, std::int64_t rows, std::int64_t dim,
                                 Layout layout, std::uint32_t& batch, std::uint32_t& head,
                                 std::uint32_t& row) {
            const auto view = view_heads<const float>(nullptr, layout, heads, rows, dim);
            batch = u32(view.batch_stride);
            head = u32(view.head_stride);
            row = u32(view.row_stride);
        };
        strides(query_heads, cut.queries, shape_.head_dim, layout_, u.q_batch, u.q_head, u.q_row);
        strides(cut.kv_heads, shape_.keys, shape_.head_dim, layout_, u.k_batch, u.k_head, u.k_row);
        strides(cut.kv_heads, shape_.keys, shape_.value_dim, layout_, u.v_batch, u.v_head, u.v_row);
        const bool is_output = task_ == GpuTask::output;
        strides(query_heads, cut.queries, is_output ? shape_.value_dim : shape_.keys,
                is_output ? layout_ : Layout::bhtd, u.output_batch, u.output_head, u.output_row);

        std::int64_t at = range_words(cut);
        u.ranges_batch = query_batches_ > 1 ? u32(2 * cut.queries) : 0;
        if (has_key_positions_) u.key_positions_at = u32(at);
        u.key_positions_batch = key_batches_ > 1 ? u.keys : 0;
        at += key_position_words(cut);
        if (mask_.has_allowed()) {
            const auto sizes = part(allowed_, cut);
            u.allowed_at = u32(at);
            u.allowed_query = sizes[2] > 1 ? u32(key_tiles()) : 0;
            u.allowed_head = sizes[1] > 1 ? u32(sizes[2] * key_tiles()) : 0;
            u.allowed_batch = sizes[0] > 1 ? u32(sizes[1] * sizes[2] * key_tiles()) : 0;
        }
        at += allowed_words(cut);
        u.lists_at = u32(at);
        u.lists_head = list_heads(cut) > 1 ? u.row_tiles : 0;
        u.lists_batch = list_batches(cut) > 1 ? u32(list_heads(cut) * row_tiles(cut)) : 0;
        if (mask_.has_bias()) {
            const auto sizes = part(bias_, cut);
            u.has_bias = 1;
            u.bias_key = sizes[3] > 1 ? 1 : 0;
            u.bias_query = sizes[2] > 1 ? u32(sizes[3]) : 0;
            u.bias_head = sizes[1] > 1 ? u32(sizes[2] * sizes[3]) : 0;
            u.bias_batch = sizes[0] > 1 ? u32(sizes[1] * sizes[2] * sizes[3]) : 0;
        }
        u.scale = scale_;
        u.softcap = softcap_;
        return u;
    }

    Shape shape_;
    Layout layout_;
    GpuTask task_;
    GpuLimits limits_;
    Mask mask_;
    bool has_key_positions_;
    float scale_;
    float softcap_;
    std::int64_t query_batches_ = 1;
    std::int64_t key_batches_ = 1;
    std::array<std::int64_t, 4> allowed_ = {1, 1, 1, 1};
    std::array<std::int64_t, 4> bias_ = {1, 1, 1, 1};
    std::int64_t tile_rows_ = 0;
};

}  // namespace

Status gpu_plan(const Problem& problem, GpuTask task, const GpuLimits& limits, GpuPlan& into) {
    Checked checked;
    if (Status status = check(problem, checked); !status.ok()) return status;
    return Planner(problem, task, limits, checked.mask).plan(into);
}

}  // namespace attention
