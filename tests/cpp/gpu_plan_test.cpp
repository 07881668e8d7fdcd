// gpu_plan(): the passes cover the problem once and keep within every limit, down to
// far below those of any adapter, and the words say what the mask says.

#include "attention/gpu_plan.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include "support/bad_problems.hpp"
#include "support/oracle.hpp"
#include "support/paths.hpp"
#include "support/problems.hpp"

using namespace support;
using attention::GpuLimits;
using attention::GpuPass;
using attention::GpuPlan;
using attention::GpuTask;
using attention::GpuUniforms;
using attention::Shape;

namespace {

GpuPlan planned(const attention::Problem& problem, GpuTask task = GpuTask::output,
                const GpuLimits& limits = {}) {
    GpuPlan plan;
    const attention::Status status = attention::gpu_plan(problem, task, limits, plan);
    INFO(describe(problem));
    REQUIRE(status.message == "");
    return plan;
}

std::vector<std::uint32_t> words_of(const attention::Problem& problem, const GpuPlan& plan,
                                    const GpuPass& pass) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(pass.most_words), 0xDEADBEEF);
    const std::int64_t count = attention::fill_gpu_words(problem, plan, pass, words);
    REQUIRE(count <= pass.most_words);
    words.resize(static_cast<std::size_t>(count));
    return words;
}

/// What a kernel makes of a plan: it reads uniforms and words as the WGSL does, with
/// arithmetic of its own, and tells for each pair whether it is computed.
class Reader {
public:
    Reader(const GpuPlan& plan, const GpuPass& pass, std::vector<std::uint32_t> words)
        : tile_rows_(plan.rows), u_(pass.uniforms), words_(std::move(words)) {}

    /// Whether the list of the row's tile has the key's tile, and what it says of it.
    bool visits(std::int64_t b, std::int64_t kv_head, std::int64_t row, std::int64_t key,
                bool& partly) const {
        const std::int64_t list =
            u_.lists_at + b * u_.lists_batch + kv_head * u_.lists_head + row / tile_rows_;
        for (std::uint32_t at = word(list); at < word(list + 1); ++at) {
            if (word(at) / 2 != key / 32) continue;
            partly = word(at) % 2 == 1;
            return true;
        }
        return false;
    }

    bool shows(std::int64_t b, std::int64_t head, std::int64_t query, std::int64_t key) const {
        const std::int64_t range = u_.ranges_at + b * u_.ranges_batch + 2 * query;
        auto position = static_cast<std::int32_t>(key);
        if (u_.key_positions_at > 0) {
            position = static_cast<std::int32_t>(
                word(u_.key_positions_at + b * u_.key_positions_batch + key));
        }
        if (position < static_cast<std::int32_t>(word(range))) return false;
        if (position > static_cast<std::int32_t>(word(range + 1))) return false;
        if (u_.allowed_at == 0) return true;
        const std::uint32_t bits =
            word(u_.allowed_at + b * u_.allowed_batch + head * u_.allowed_head +
                 query * u_.allowed_query + key / 32);
        return ((bits >> (key % 32)) & 1) == 1;
    }

private:
    std::uint32_t word(std::int64_t at) const { return words_.at(static_cast<std::size_t>(at)); }

    std::int64_t tile_rows_;
    GpuUniforms u_;
    std::vector<std::uint32_t> words_;
};

/// Every visible pair is visited and shown, every pair of an unmarked tile is visible,
/// and a pair that the words show is hidden by the bias at most. Gives visited pairs.
std::int64_t check_words(const HeldProblem& held, const GpuLimits& limits = {}) {
    const attention::Problem problem = held.problem();
    const Shape& s = held.shape;
    const std::int64_t group = s.query_heads / s.kv_heads;
    const GpuPlan plan = planned(problem, GpuTask::output, limits);
    std::int64_t visited = 0;
    std::int64_t wrong = 0;
    for (const GpuPass& pass : plan.passes) {
        const Reader reader(plan, pass, words_of(problem, plan, pass));
        for (std::int64_t b = 0; b < pass.batches; ++b) {
            for (std::int64_t h = 0; h < pass.kv_heads * group; ++h) {
                for (std::int64_t t = 0; t < pass.queries; ++t) {
                    for (std::int64_t k = 0; k < s.keys; ++k) {
                        const attention::Hidden hidden = oracle::hidden_by(
                            problem, pass.first_batch + b, pass.first_kv_head * group + h,
                            pass.first_query + t, k);
                        bool partly = true;
                        const bool visits =
                            reader.visits(b, h / group, t * group + h % group, k, partly);
                        const bool shows = reader.shows(b, h, t, k);
                        const bool seen = hidden == 0;
                        const bool by_bias_only = hidden == attention::hidden::by_bias;
                        visited += visits;
                        wrong += seen && !(visits && shows);
                        wrong += visits && !partly && !seen;
                        wrong += shows && !(seen || by_bias_only);
                    }
                }
            }
        }
    }
    INFO(describe(problem));
    CHECK(wrong == 0);
    return visited;
}

std::int64_t total(const std::array<std::int64_t, 3>& workgroups) {
    return workgroups[0] * workgroups[1] * workgroups[2];
}

}  // namespace

TEST_CASE("gpu_plan: a problem within the limits is one pass", "[gpu_plan]") {
    const HeldProblem held = zero_problem({.batch = 2,
                                           .query_heads = 8,
                                           .kv_heads = 2,
                                           .queries = 100,
                                           .keys = 300,
                                           .head_dim = 64,
                                           .value_dim = 64});
    const GpuPlan plan = planned(held.problem());
    REQUIRE(plan.passes.size() == 1);
    const GpuPass& pass = plan.passes[0];
    CHECK(plan.aligned);
    CHECK(plan.chunks == 2);
    CHECK_FALSE(plan.capped);
    CHECK(pass.batches == 2);
    CHECK(pass.kv_heads == 2);
    CHECK(pass.queries == 100);
    CHECK(pass.output_values == 2 * 8 * 100 * 64);
    CHECK(pass.uniforms.rows == 400);
    CHECK(pass.uniforms.row_tiles == (400 + plan.rows - 1) / plan.rows);
    CHECK(total(pass.workgroups) == 4 * pass.uniforms.row_tiles);
    CHECK(pass.uniforms.q_head == 6400);
    CHECK(pass.uniforms.k_batch == 2 * 300 * 64);
    CHECK(pass.uniforms.scale == 0.125F);
    CHECK(sizeof(GpuUniforms) % 16 == 0);
}

TEST_CASE("gpu_plan: tokens first is a change of strides", "[gpu_plan]") {
    const HeldProblem held = in_layout(zero_problem({.query_heads = 4,
                                                     .kv_heads = 2,
                                                     .queries = 5,
                                                     .keys = 7,
                                                     .head_dim = 3,
                                                     .value_dim = 2}),
                                       attention::Layout::bthd);
    const GpuUniforms u = planned(held.problem()).passes.at(0).uniforms;
    CHECK(u.q_row == 12);
    CHECK(u.q_head == 3);
    CHECK(u.v_row == 4);
    CHECK(u.v_head == 2);
    CHECK(u.output_row == 8);
    CHECK_FALSE(planned(held.problem()).aligned);
}

TEST_CASE("gpu_plan: few sizes of kernels do for all problems", "[gpu_plan]") {
    const auto plan = [](std::int64_t queries, std::int64_t value_dim,
                         GpuTask task = GpuTask::output) {
        return planned(zero_problem({.query_heads = 2,
                                     .queries = queries,
                                     .keys = 9,
                                     .head_dim = 64,
                                     .value_dim = value_dim})
                           .problem(),
                       task);
    };
    // Two heads share each key: a tile has twice as many rows as queries.
    CHECK(plan(1, 64).rows == 16);
    CHECK(plan(8, 64).rows == 16);
    CHECK(plan(9, 64).rows == 32);
    CHECK(plan(17, 64).rows == 64);
    CHECK(plan(1000, 64).rows == 64);
    CHECK(plan(1, 1).chunks == 1);
    CHECK(plan(1, 32).chunks == 1);
    CHECK(plan(1, 33).chunks == 2);
    CHECK(plan(1, 65).chunks == 4);
    CHECK(plan(1, 256).chunks == 8);
    CHECK(plan(1, 256, GpuTask::weights).chunks == 1);

    HeldProblem held = mean_problem(2, {1, 3});
    held.softcap = 2;
    CHECK(planned(held.problem()).capped);
}

TEST_CASE("gpu_plan: passes cover the problem once, within small limits", "[gpu_plan]") {
    const Shape shape = {.batch = 2,
                         .query_heads = 6,
                         .kv_heads = 3,
                         .queries = 70,
                         .keys = 40,
                         .head_dim = 8,
                         .value_dim = 8};
    HeldProblem held = zero_problem(shape);
    held.bias = {std::vector<float>(2 * 6 * 70 * 40), {2, 6, 70, 40}};
    held.allowed = {std::vector<std::uint8_t>(70 * 40, 1), {70, 40}};
    for (const GpuTask task : {GpuTask::output, GpuTask::weights}) {
        for (const std::int64_t bytes : {1 << 27, 200'000, 50'000, 20'000, 6'000}) {
            for (const std::int64_t per_axis : {65535, 3, 2}) {
                GpuLimits limits;
                limits.max_storage_buffer_binding_size = bytes;
                limits.max_buffer_size = 2 * bytes;
                limits.max_compute_workgroups_per_dimension = per_axis;
                INFO("at most " << bytes << " bytes, " << per_axis << " workgroups an axis");
                const GpuPlan plan = planned(held.problem(), task, limits);
                std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
                std::int64_t covered = 0;
                for (const GpuPass& pass : plan.passes) {
                    const std::int64_t heads = pass.batches * pass.kv_heads;
                    const std::int64_t width = task == GpuTask::output ? 8 : 40;
                    CHECK(pass.output_values == heads * 2 * pass.queries * width);
                    CHECK(pass.output_values * 4 <= bytes);
                    CHECK(heads * 2 * pass.queries * 8 * 4 <= bytes);   // q
                    CHECK(heads * 2 * pass.queries * 40 * 4 <= bytes);  // bias
                    CHECK(heads * 40 * 8 * 4 <= bytes);                 // k, v
                    CHECK(pass.most_words * 4 <= bytes);
                    for (const std::int64_t count : pass.workgroups) CHECK(count <= per_axis);
                    CHECK(total(pass.workgroups) >= heads * pass.uniforms.row_tiles);
                    for (std::int64_t b = 0; b < pass.batches; ++b) {
                        for (std::int64_t h = 0; h < pass.kv_heads; ++h) {
                            for (std::int64_t t = 0; t < pass.queries; ++t) {
                                seen.emplace(pass.first_batch + b, pass.first_kv_head + h,
                                             pass.first_query + t);
                                ++covered;
                            }
                        }
                    }
                }
                CHECK(covered == 2 * 3 * 70);
                CHECK(std::ssize(seen) == covered);
            }
        }
    }
}

TEST_CASE("gpu_plan: gpu-binding-128MiB, the weights of 6000 tokens", "[gpu_plan][cases]") {
    // 144,000,000 bytes of weights, over the default limit of 134,217,728 for a binding.
    const HeldProblem held =
        zero_problem({.queries = 6000, .keys = 6000, .head_dim = 1, .value_dim = 1});
    const GpuPlan plan = planned(held.problem(), GpuTask::weights);
    CHECK(plan.passes.size() == 2);
    for (const GpuPass& pass : plan.passes) CHECK(pass.output_values * 4 <= 134'217'728);
    CHECK(planned(held.problem()).passes.size() == 1);
}

TEST_CASE("gpu_plan: what is bound or read back fits with what the driver adds", "[gpu_plan]") {
    // 4 * 64 * 64 bytes of weights, to which a readback adds two times.
    const HeldProblem held =
        zero_problem({.queries = 64, .keys = 64, .head_dim = 1, .value_dim = 1});
    const auto passes = [&](std::int64_t binding, std::int64_t buffer) {
        GpuLimits limits;
        limits.max_storage_buffer_binding_size = binding;
        limits.max_buffer_size = buffer;
        const GpuPlan plan = planned(held.problem(), GpuTask::weights, limits);
        for (const GpuPass& pass : plan.passes) CHECK(pass.output_values * 4 + 24 <= buffer);
        return plan.passes.size();
    };
    CHECK(passes(16384, 16384 + 24) == 1);
    CHECK(passes(16384, 16384) == 2);
    CHECK(passes(16384 - 4, 1 << 20) == 2);
    // 17 * 17 values are no whole vectors: 1156 bytes are bound as 1168.
    const HeldProblem odd =
        zero_problem({.queries = 17, .keys = 17, .head_dim = 1, .value_dim = 1});
    GpuLimits limits;
    limits.max_storage_buffer_binding_size = 1156;
    CHECK(planned(odd.problem(), GpuTask::weights, limits).passes.size() == 2);
}

TEST_CASE("gpu_plan: more than 65,535 workgroups are spread over axes", "[gpu_plan]") {
    const HeldProblem held = zero_problem({.query_heads = 70'000,
                                           .kv_heads = 70'000,
                                           .queries = 1,
                                           .keys = 1,
                                           .head_dim = 1,
                                           .value_dim = 1});
    const GpuPlan plan = planned(held.problem());
    REQUIRE(plan.passes.size() == 1);
    CHECK(plan.passes[0].workgroups == std::array<std::int64_t, 3>{65535, 2, 1});
}

TEST_CASE("gpu_plan: what does not fit is an error that says how much it would be", "[gpu_plan]") {
    GpuPlan plan;
    plan.rows = 77;
    GpuLimits limits;
    limits.max_storage_buffer_binding_size = 4096;
    const HeldProblem held =
        zero_problem({.queries = 3, .keys = 300, .head_dim = 4, .value_dim = 4});
    const attention::Status keys =
        attention::gpu_plan(held.problem(), GpuTask::output, limits, plan);
    CHECK(keys.code == attention::Code::too_large);
    CHECK(keys.message ==
          "The GPU path takes at most 4096 bytes in one buffer here, but this problem needs 4800");
    CHECK(plan.passes.empty());
    CHECK(plan.rows == 77);

    const HeldProblem wide =
        zero_problem({.queries = 3, .keys = 3, .head_dim = 4, .value_dim = 257});
    const attention::Status value_dim =
        attention::gpu_plan(wide.problem(), GpuTask::output, {}, plan);
    CHECK(value_dim.code == attention::Code::too_large);
    CHECK(value_dim.field == "valueDim");
    CHECK(value_dim.message.find("257") != std::string::npos);
}

TEST_CASE("gpu_plan: a bad problem is told as by validate()", "[gpu_plan]") {
    for (const auto* list : {&bad_counts_and_tensors(), &bad_numbers(), &bad_masks()}) {
        for (const BadProblem& bad : *list) {
            HeldProblem held = good_problem();
            bad.spoil(held);
            GpuPlan plan;
            const attention::Problem problem = held.problem();
            const attention::Status expected = attention::validate(problem);
            const attention::Status status =
                attention::gpu_plan(problem, GpuTask::output, {}, plan);
            INFO(bad.what);
            CHECK(status.code == bad.code);
            CHECK(status.field == bad.field);
            CHECK(status.message == expected.message);
        }
    }
}

TEST_CASE("gpu_plan: nothing to do has no passes", "[gpu_plan]") {
    HeldProblem held = zero_problem({.queries = 0, .keys = 3, .head_dim = 1, .value_dim = 1});
    CHECK(planned(held.problem()).passes.empty());
    held = zero_problem({.batch = 0, .queries = 2, .keys = 3, .head_dim = 1, .value_dim = 1});
    CHECK(planned(held.problem()).passes.empty());
    held = zero_problem({.queries = 2, .keys = 0, .head_dim = 1, .value_dim = 3});
    CHECK(planned(held.problem(), GpuTask::weights).passes.empty());
    CHECK(planned(held.problem()).passes.size() == 1);  // its output is zeros
}

TEST_CASE("gpu_plan: hidden tiles are not visited", "[gpu_plan]") {
    HeldProblem held = zero_problem({.queries = 256, .keys = 256, .head_dim = 1, .value_dim = 1});
    // Rows of a tile see keys up to the last row's own, in tiles of 32.
    const std::int64_t rows = planned(held.problem()).rows;
    std::int64_t causal = 0;
    for (std::int64_t row = 0; row < 256; row += rows) causal += rows * (row + rows);
    CHECK(check_words(held) == causal);
    held.window = {.left = 31, .right = 0};
    CHECK(check_words(held) <= 256 * (rows + 64));
    held.window.reset();
    held.causal = false;
    CHECK(check_words(held) == 256 * 256);
    std::vector<std::uint8_t> blocks(256 * 256, 0);
    for (std::size_t t = 0; t < 256; ++t) {
        for (std::size_t k = t / 64 * 64; k < t / 64 * 64 + 64; ++k) blocks[t * 256 + k] = 1;
    }
    held.allowed = {blocks, {}};
    CHECK(check_words(held) == 256 * 64);
}

TEST_CASE("gpu_plan: the words say what the mask says", "[gpu_plan]") {
    GpuLimits small;
    small.max_storage_buffer_binding_size = 3000;
    int cut = 0;
    for (std::uint64_t seed = 21'000; seed < 21'400; ++seed) {
        const HeldProblem held = random_problem(seed).held;
        const Shape& s = held.shape;
        if (s.value_dim > attention::gpu_max_value_dim) continue;
        if (s.batch * s.query_heads * s.queries * s.keys > 40'000) continue;
        INFO("ATTENTION_SEED=" << seed);
        check_words(held);
        GpuPlan plan;
        if (!attention::gpu_plan(held.problem(), GpuTask::output, small, plan).ok()) continue;
        cut += plan.passes.size() > 1;
        check_words(held, small);
    }
    CHECK(cut > 40);
}

TEST_CASE("gpu_reason: each is a sentence of its own", "[gpu_plan]") {
    std::set<std::string> sentences;
    for (int reason = 0; reason <= static_cast<int>(attention::GpuReason::failed); ++reason) {
        const attention::Status status =
            attention::gpu_reason(static_cast<attention::GpuReason>(reason), "what it said");
        CHECK(status.code == attention::Code::unavailable);
        CHECK(status.message.ends_with(": what it said"));
        sentences.insert(status.message);
    }
    CHECK(sentences.size() == 12);
    CHECK(attention::gpu_reason(attention::GpuReason::insecure, "").message.find("https") !=
          std::string::npos);
}
