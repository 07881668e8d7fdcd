// Situations from the field, each test named after its id in cases.md. Unless a
// row differs, B = H = 1, D = Dv = 1, scale 1 and q = 0: every visible key has
// equal weight, so an output row is the mean of the values that it sees.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "attention/predicate.hpp"
#include "support/compare.hpp"
#include "support/paths.hpp"

using namespace support;
using attention::Layout;
using attention::Shape;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr double tolerance = 1e-5;

/// On every kernel, in both layouts, the output [B, Hq, T, Dv] is `right`.
void expect(const HeldProblem& held, const std::vector<double>& right, double within = tolerance) {
    const Shape& s = held.shape;
    on_every_path(held, [&](const std::vector<float>& output) {
        CHECK(compare::tensors(
                  "output", output, right, within,
                  {{"b", s.batch}, {"h", s.query_heads}, {"t", s.queries}, {"d", s.value_dim}}) ==
              "");
    });
}

/// Unit vectors as values: an output row is then its row of weights.
void use_unit_values(HeldProblem& held) {
    const std::int64_t keys = held.shape.keys;
    held.shape.value_dim = keys;
    held.v.assign(static_cast<std::size_t>(keys * keys), 0.0F);
    for (std::int64_t key = 0; key < keys; ++key) {
        held.v[static_cast<std::size_t>(key * (keys + 1))] = 1.0F;
    }
}

}  // namespace

TEST_CASE("full-mask-row", "[cases]") {
    HeldProblem held = mean_problem(2, {1, 3});
    held.causal = false;
    SECTION("by a boolean mask") { held.allowed = {{1, 1, 0, 0}, {}}; }
    SECTION("by a float mask") { held.bias = {{0, 0, -infinity, -infinity}, {}}; }
    SECTION("by positions") {
        held.causal = true;
        held.query_positions = {1, -1};
    }
    SECTION("by both masks together") {
        held.allowed = {{1, 1, 1, 0}, {}};
        held.bias = {{0, 0, -infinity, 0}, {}};
    }
    expect(held, {2, 0});
    on_every_path(held, [](const std::vector<float>& output) { CHECK(output[1] == 0.0F); });
    const attention::Trace trace = traced(held);
    CHECK(trace.weights[0] == 0.5F);
    CHECK(trace.weights[1] == 0.5F);
    CHECK(trace.weights[2] == 0.0F);
    CHECK(trace.weights[3] == 0.0F);
    CHECK(trace.output[1] == 0.0F);
    CHECK(trace.row_max[1] == -infinity);
    CHECK(trace.row_sum[1] == 0.0F);
}

TEST_CASE("causal-T<S", "[cases]") {
    HeldProblem held = mean_problem(2, {1, 2, 3, 4});
    expect(held, {2, 2.5});
    held.query_positions = {0, 1};
    expect(held, {1, 1.5});
}

TEST_CASE("decode-offset", "[cases]") {
    expect(mean_problem(5, {1, 2, 3, 4, 5}), {1, 1.5, 2, 2.5, 3});
    expect(mean_problem(1, {1, 2, 3, 4, 5}), {3});
    expect(mean_problem(2, {1, 2, 3, 4, 5}), {2.5, 3});
    HeldProblem stated = mean_problem(1, {1, 2, 3, 4, 5});
    stated.query_positions = {4};
    expect(stated, {3});
    stated.query_positions = {0};  // what an index inside the block would mean
    expect(stated, {1});
}

TEST_CASE("gqa-map", "[cases]") {
    HeldProblem held = zero_problem(
        {.query_heads = 4, .kv_heads = 2, .queries = 1, .keys = 1, .head_dim = 1, .value_dim = 1});
    held.v = {10, 20};
    expect(held, {10, 10, 20, 20}, 0.0);
}

TEST_CASE("mask-bool-vs-float", "[cases]") {
    HeldProblem held = mean_problem(1, {1, 3});
    held.allowed = {{1, 0}, {}};
    expect(held, {1}, 0.0);
    held.allowed.reset();
    held.bias = {{1, 0}, {}};
    expect(held, {1.53788});
}

TEST_CASE("mask-broadcast", "[cases]") {
    HeldProblem held = zero_problem({.batch = 2,
                                     .query_heads = 2,
                                     .kv_heads = 2,
                                     .queries = 1,
                                     .keys = 2,
                                     .head_dim = 1,
                                     .value_dim = 1});
    held.v = {1, 3, 1, 3, 1, 3, 1, 3};
    SECTION("a boolean mask for each batch item") {
        held.allowed = {{1, 0, 0, 1}, {2, 1, 1, 2}};
        expect(held, {1, 1, 3, 3}, 0.0);
    }
    SECTION("a float mask for each batch item") {
        held.bias = {{0, -infinity, -infinity, 0}, {2, 1, 1, 2}};
        expect(held, {1, 1, 3, 3}, 0.0);
    }
    SECTION("rank 3 is right-aligned: its first axis is the head") {
        held.allowed = {{1, 0, 0, 1}, {2, 1, 2}};
        expect(held, {1, 3, 1, 3}, 0.0);
    }
    SECTION("rank 1 is the keys") {
        held.allowed = {{0, 1}, {2}};
        expect(held, {3, 3, 3, 3}, 0.0);
    }
}

TEST_CASE("tile-all-masked", "[cases]") {
    std::vector<float> values(130);
    std::iota(values.begin(), values.end(), 0.0F);
    for (const std::size_t key : {0, 63, 64, 129}) {
        for (const std::int64_t queries : {1, 9}) {
            HeldProblem held = mean_problem(queries, values);
            held.causal = false;
            std::vector<float> bias(130, -infinity);
            bias[key] = 0.0F;
            held.bias = {bias, {1, 130}};
            const std::vector<double> right(static_cast<std::size_t>(queries),
                                            static_cast<double>(key));
            expect(held, right, 0.0);
            std::vector<std::uint8_t> allowed(130, 0);
            allowed[key] = 1;
            held.bias.reset();
            held.allowed = {allowed, {1, 130}};
            expect(held, right, 0.0);
        }
    }
}

TEST_CASE("exp-range", "[cases]") {
    SECTION("large scores") {
        HeldProblem held = mean_problem(1, {0, 0});
        held.q = {100};
        held.k = {100, 99.9F};
        use_unit_values(held);
        // The products round to 10000 and 9990 in float32.
        const double small = 1.0 / (1.0 + std::exp(10.0));
        expect(held, {1.0 - small, small}, 1e-7);
        CHECK(std::abs(small - 4.54e-5) < 0.005e-5);
    }
    SECTION("scores far below the largest") {
        HeldProblem held = mean_problem(1, {1, 0, 0, 0});
        held.q = {1};
        held.k = {0, -88.5F, -104, -1e30F};
        expect(held, {1}, 0.5e-6);
        use_unit_values(held);
        on_every_path(held, [](const std::vector<float>& weights) {
            for (const float weight : weights) {
                CHECK(std::isfinite(weight));
                CHECK(weight >= 0.0F);
            }
            CHECK(weights[1] <= 1e-38F);
            CHECK(weights[3] == 0.0F);
        });
    }
    SECTION("every distance from the largest") {
        // exp itself, through the library: query x has the scores 0 and -x, so
        // that its second weight is exp(-x) / (1 + exp(-x)). What remains after
        // rounding x / ln 2 grows with x. Below the least normal float any
        // value from 0 to that will do.
        constexpr double step = 1.0 / 64;
        constexpr double least_normal = 1.2e-38;
        HeldProblem held = mean_problem(110 * 64, {0, 0});
        held.causal = false;
        for (std::size_t at = 0; at < held.q.size(); ++at) {
            held.q[at] = static_cast<float>(step * static_cast<double>(at));
        }
        held.k = {0, -1};
        use_unit_values(held);
        on_every_path(held, [&](const std::vector<float>& weights) {
            double worst = 0;
            for (std::size_t at = 0; at < held.q.size(); ++at) {
                const double x = held.q[at];
                const double right = std::exp(-x) / (1 + std::exp(-x));
                const double allowed = (4e-7 + 6.5e-8 * x) * right + least_normal;
                worst = std::max(worst, std::abs(weights[2 * at + 1] - right) / allowed);
            }
            INFO("the largest error is " << worst << " of what is allowed");
            CHECK(worst <= 1.0);
        });
    }
}

TEST_CASE("softcap-order", "[cases]") {
    HeldProblem held = mean_problem(1, {1, 3});
    held.softcap = 1.0;
    SECTION("boolean") { held.allowed = {{1, 0}, {}}; }
    SECTION("float") { held.bias = {{0, -infinity}, {}}; }
    SECTION("a finite bias is not capped") {
        // Capped at 1 the weights would be near 0.12 and 0.88, mean 2.76.
        held.bias = {{-30, 30}, {}};
        expect(held, {3});
        return;
    }
    expect(held, {1}, 0.0);
}

TEST_CASE("default-scale-Dv", "[cases]") {
    HeldProblem held = zero_problem(
        {.query_heads = 4, .kv_heads = 4, .queries = 1, .keys = 2, .head_dim = 16, .value_dim = 3});
    held.q.assign(4 * 16, 1.0F);
    for (std::size_t head = 0; head < 4; ++head) {
        for (std::size_t d = 0; d < 16; ++d) held.k[head * 32 + d] = 0.25F;
        for (std::size_t d = 0; d < 3; ++d) held.v[head * 6 + d] = 1.0F;
    }
    expect(held, std::vector<double>(12, 0.731059), 1e-6);
}

TEST_CASE("odd-D", "[cases]") {
    for (const std::int64_t dim : {1, 3, 5, 7, 9, 17, 63, 65}) {
        for (const std::int64_t value_dim : {1, 3}) {
            HeldProblem held =
                zero_problem({.queries = 1, .keys = 2, .head_dim = dim, .value_dim = value_dim});
            const auto d = static_cast<std::size_t>(dim);
            held.q.assign(d, 1.0F);
            std::fill_n(held.k.begin(), d, 1.0F);
            std::fill_n(held.v.begin(), value_dim, 1.0F);
            held.scale = 1.0 / static_cast<double>(dim);
            expect(held, std::vector<double>(static_cast<std::size_t>(value_dim), 0.731059), 1e-6);
        }
    }
}

TEST_CASE("run-to-run", "[cases]") {
    const HeldProblem held =
        normal_problem({.queries = 64, .keys = 64, .head_dim = 72, .value_dim = 72}, 72);
    const HeldProblem between[] = {
        normal_problem({.queries = 1, .keys = 300, .head_dim = 5, .value_dim = 9}, 1),
        normal_problem({.query_heads = 6,
                        .kv_heads = 2,
                        .queries = 33,
                        .keys = 17,
                        .head_dim = 128,
                        .value_dim = 3},
                       2),
        normal_problem({.batch = 3, .queries = 70, .keys = 257, .head_dim = 64, .value_dim = 72},
                       3),
    };
    const std::vector<double> first = compare::widened(solve(held, attention::Kernel::reference));
    for (const attention::Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        const std::vector<float> once = solve(held, kernel);
        const compare::Axes axes = compare::output_axes(held.problem());
        CHECK(compare::tensors("output", once, first, 1e-5, axes) == "");
        for (std::size_t call = 0; call < 10; ++call) {
            const auto other = solve(between[call % 3], kernels[call % kernels.size()]);
            CHECK(!other.empty());
            CHECK(compare::bits("output", solve(held, kernel), once, axes) == "");
        }
    }
}

TEST_CASE("empty-axes", "[cases]") {
    const auto works = [] { expect(mean_problem(2, {1, 3}), {1, 2}); };
    SECTION("S = 0 gives zeros") {
        HeldProblem held = zero_problem({.queries = 2, .keys = 0, .head_dim = 1, .value_dim = 3});
        expect(held, std::vector<double>(6, 0.0), 0.0);
        held.allowed = {{}, {2, 0}};
        held.bias = {{}, {0}};
        held.key_positions.emplace();
        expect(held, std::vector<double>(6, 0.0), 0.0);
        CHECK(traced(held).weights.empty());
        CHECK(traced(held).output == std::vector<float>(6, 0.0F));
    }
    SECTION("T = 0 has no output") {
        expect(zero_problem({.queries = 0, .keys = 3, .head_dim = 1, .value_dim = 3}), {});
    }
    SECTION("B = 0 has no output") {
        expect(zero_problem({.batch = 0, .queries = 2, .keys = 3, .head_dim = 1, .value_dim = 3}),
               {});
    }
    SECTION("D = 0 is an error that names the axis") {
        const HeldProblem held =
            zero_problem({.queries = 2, .keys = 2, .head_dim = 0, .value_dim = 1});
        for (const attention::Kernel kernel : kernels) {
            std::vector<float> output = {7, 7};
            const attention::Status status = attention::attend(held.problem(kernel), output);
            CHECK(status.code == attention::Code::wrong_value);
            CHECK(status.field == "headDim");
            CHECK(output == std::vector<float>{7, 7});
        }
    }
    works();
}

TEST_CASE("window-size", "[cases]") {
    HeldProblem held = mean_problem(5, {1, 2, 3, 4, 5});
    held.window = {.left = 1, .right = 0};
    expect(held, {1, 1.5, 2.5, 3.5, 4.5});
    held.causal = false;  // the window alone says the same
    expect(held, {1, 1.5, 2.5, 3.5, 4.5});
    held.window = {.left = 0, .right = 0};
    expect(held, {1, 2, 3, 4, 5});
    held.window = {.left = 0, .right = 1};
    expect(held, {1.5, 2.5, 3.5, 4.5, 5});
    held.causal = true;
    held.window = {.left = 1000, .right = 0};  // wider than the sequence: plain causal
    expect(held, {1, 1.5, 2, 2.5, 3});
    CHECK(attention::predicate::draw(attention::predicate::SlidingWindow{2}, 5) ==
          "10000\n"
          "11000\n"
          "01100\n"
          "00110\n"
          "00011\n");
}

TEST_CASE("masked-NaN-leak", "[cases]") {
    for (const float poison : {not_a_number, infinity, -infinity}) {
        for (const bool in_key : {false, true}) {
            HeldProblem held = mean_problem(1, {1, poison});
            if (in_key) held.k[1] = poison;
            held.allowed = {{1, 0}, {}};
            expect(held, {1}, 0.0);
            held.allowed.reset();
            held.bias = {{0, -infinity}, {}};
            expect(held, {1}, 0.0);
            held.bias.reset();
            held.query_positions = {0};  // the causal rule hides key 1
            expect(held, {1}, 0.0);
        }
    }
}

TEST_CASE("left-pad", "[cases]") {
    for (const float padding : {0.0F, 1e30F, not_a_number, infinity}) {
        HeldProblem held =
            zero_problem({.batch = 2, .queries = 4, .keys = 4, .head_dim = 1, .value_dim = 1});
        held.scale = 1.0;
        held.v = {1, 2, 3, 4, padding, padding, 1, 2};
        held.k[4] = held.k[5] = held.q[4] = held.q[5] = padding;
        const std::vector<double> right = {1, 1.5, 2, 2.5, 0, 0, 1, 1.5};
        held.allowed = {{1, 1, 1, 1, 0, 0, 1, 1}, {2, 1, 1, 4}};
        expect(held, right);
        held.allowed.reset();
        held.bias = {{0, 0, 0, 0, -infinity, -infinity, 0, 0}, {2, 1, 1, 4}};
        expect(held, right);
        held.bias.reset();
        // By positions: the padding lies ahead of every query.
        held.query_positions = {0, 1, 2, 3, -2, -1, 0, 1};
        held.key_positions = {0, 1, 2, 3, 9, 9, 0, 1};
        expect(held, right);
    }
}
