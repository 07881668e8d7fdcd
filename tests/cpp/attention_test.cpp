// attend(): the parts of the contract that no other file is about. Positions
// are in positions_test.cpp, bad input in validate_test.cpp.

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "support/compare.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"

using namespace support;
using attention::Kernel;
using attention::Layout;
using attention::Shape;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

void expect(const HeldProblem& held, const std::vector<double>& right, double tolerance) {
    on_every_path(held, [&](const std::vector<float>& output) {
        CHECK(compare::tensors("output", output, right, tolerance,
                               {{"at", static_cast<std::int64_t>(right.size())}}) == "");
    });
}

/// One query of 1 against keys that are the scores, values 1, 2, 3 ...
HeldProblem scores_problem(const std::vector<float>& scores) {
    HeldProblem held = mean_problem(1, scores);
    held.q = {1};
    held.k = scores;
    for (std::size_t key = 0; key < scores.size(); ++key) {
        held.v[key] = static_cast<float>(key + 1);
    }
    return held;
}

}  // namespace

TEST_CASE("attention: kernels have names", "[attention]") {
    CHECK(attention::name(Kernel::automatic) == "auto");
    CHECK(attention::name(Kernel::reference) == "reference");
    CHECK(attention::name(Kernel::online) == "online");
    CHECK(attention::name(Kernel::tiled) == "tiled");
    CHECK(attention::name(Kernel::decode) == "decode");
}

TEST_CASE("attention: automatic is the kernel that kernel_for() says, bit for bit", "[attention]") {
    std::set<Kernel> chosen;
    for (const std::int64_t queries : {1, 2, 3, 5, 8, 16, 19, 40}) {
        const HeldProblem held = normal_problem({.batch = 2,
                                                 .query_heads = 4,
                                                 .kv_heads = 2,
                                                 .queries = queries,
                                                 .keys = 23,
                                                 .head_dim = 7,
                                                 .value_dim = 5},
                                                3);
        const Kernel kernel = attention::kernel_for(held.problem());
        INFO(queries << " queries, kernel " << attention::name(kernel));
        chosen.insert(kernel);
        CHECK(compare::bits("output", solve(held, Kernel::automatic), solve(held, kernel),
                            compare::output_axes(held.problem())) == "");
        for (const Kernel named : kernels) {
            CHECK(attention::kernel_for(held.problem(named)) == named);
        }
    }
    // One query is decoding, many are not.
    CHECK(chosen == std::set<Kernel>{Kernel::decode, Kernel::tiled});
}

TEST_CASE("attention: scale_of is the given scale or 1 / sqrt(D)", "[attention]") {
    HeldProblem held = zero_problem({.queries = 1, .keys = 1, .head_dim = 16, .value_dim = 9});
    CHECK(attention::scale_of(held.problem()) == 0.25F);
    held.scale = -3.0;
    CHECK(attention::scale_of(held.problem()) == -3.0F);
    held.scale = 0.0;
    CHECK(attention::scale_of(held.problem()) == 0.0F);
}

TEST_CASE("attention: output_size is B * Hq * T * Dv", "[attention]") {
    CHECK(attention::output_size({.batch = 2,
                                  .query_heads = 6,
                                  .kv_heads = 3,
                                  .queries = 5,
                                  .keys = 11,
                                  .head_dim = 7,
                                  .value_dim = 13}) == 2 * 6 * 5 * 13);
}

TEST_CASE("attention: the kernel in the problem is the one that runs", "[attention]") {
    // Different ways of summing differ in the last bits of some value out of many.
    const HeldProblem held =
        normal_problem({.queries = 65, .keys = 65, .head_dim = 65, .value_dim = 65}, 4);
    const auto reference = solve(held, Kernel::reference);
    CHECK(reference != solve(held, Kernel::online));
    CHECK(reference != solve(held, Kernel::tiled));
    CHECK(reference != solve(held, Kernel::decode));
    CHECK(solve(held, Kernel::tiled) != solve(held, Kernel::decode));
}

TEST_CASE("attention: heads-first and token-first hold the same numbers", "[attention]") {
    const HeldProblem heads_first = normal_problem({.batch = 2,
                                                    .query_heads = 6,
                                                    .kv_heads = 3,
                                                    .queries = 10,
                                                    .keys = 13,
                                                    .head_dim = 5,
                                                    .value_dim = 9},
                                                   5);
    const HeldProblem token_first = in_layout(heads_first, Layout::bthd);
    REQUIRE(heads_first.q != token_first.q);
    for (const Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        const auto moved =
            change_layout(solve(token_first, kernel), Layout::bthd, Layout::bhtd, 2, 6, 10, 9);
        CHECK(compare::tensors("output", moved, compare::widened(solve(heads_first, kernel)), 1e-6,
                               compare::output_axes(heads_first.problem())) == "");
    }
}

TEST_CASE("attention: head 11 of 16 over 8 reads KV head 5", "[attention][heads]") {
    const struct {
        std::int64_t query_heads;
        std::int64_t kv_heads;
    } pairs[] = {{16, 8}, {24, 2}, {16, 1}, {7, 7}};
    for (const auto& pair : pairs) {
        HeldProblem held = zero_problem({.query_heads = pair.query_heads,
                                         .kv_heads = pair.kv_heads,
                                         .queries = 1,
                                         .keys = 1,
                                         .head_dim = 1,
                                         .value_dim = 1});
        std::vector<double> right;
        for (std::int64_t head = 0; head < pair.kv_heads; ++head) {
            held.v[static_cast<std::size_t>(head)] = static_cast<float>(head);
            for (std::int64_t member = 0; member < pair.query_heads / pair.kv_heads; ++member) {
                right.push_back(static_cast<double>(head));
            }
        }
        if (pair.query_heads == 16 && pair.kv_heads == 8) REQUIRE(right[11] == 5.0);
        expect(held, right, 0.0);
    }
}

TEST_CASE("attention: heads that share keys keep masks of their own", "[attention][heads]") {
    HeldProblem held = zero_problem(
        {.query_heads = 4, .kv_heads = 2, .queries = 2, .keys = 2, .head_dim = 1, .value_dim = 1});
    held.causal = false;
    held.v = {1, 3, 10, 30};
    SECTION("boolean") {
        held.allowed = {{1, 0, 0, 1, 1, 1, 0, 0}, {4, 1, 2}};
        expect(held, {1, 1, 3, 3, 20, 20, 0, 0}, 0.0);
    }
    SECTION("additive") {
        const float much = 100;
        held.bias = {{much, 0, 0, much, 0, 0, -infinity, -infinity}, {4, 1, 2}};
        expect(held, {1, 1, 3, 3, 20, 20, 0, 0}, 0.0);
    }
    SECTION("one that hides from one head what the other sees") {
        held.allowed = {{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, {4, 2, 2}};
        expect(held, {2, 2, 0, 0, 0, 0, 20, 20}, 0.0);
    }
}

TEST_CASE("attention: more KV heads than a kernel takes at a time", "[attention][heads]") {
    // The decode kernel takes as many heads together as make 32 rows.
    for (const std::int64_t kv_heads : {3, 11, 31, 32, 33, 70}) {
        for (const std::int64_t group : {1, 3}) {
            const HeldProblem held = normal_problem({.batch = 2,
                                                     .query_heads = kv_heads * group,
                                                     .kv_heads = kv_heads,
                                                     .queries = 2,
                                                     .keys = 70,
                                                     .head_dim = 9,
                                                     .value_dim = 21},
                                                    12);
            const compare::Truth truth = compare::truth_of(held.problem());
            on_every_path(held, [&](const std::vector<float>& output) {
                CHECK(compare::output(held.problem(), output, truth) == "");
            });
        }
    }
}

TEST_CASE("attention: what one head hides stays out of it, whatever the heads beside it see",
          "[attention][heads]") {
    constexpr std::int64_t heads = 5, keys = 70, dim = 6, at = 66;
    HeldProblem held = normal_problem({.query_heads = heads,
                                       .kv_heads = heads,
                                       .queries = 1,
                                       .keys = keys,
                                       .head_dim = dim,
                                       .value_dim = dim},
                                      13);
    for (std::int64_t head = 0; head < heads; ++head) {
        HeldProblem poisoned = held;
        poisoned.allowed = {std::vector<std::uint8_t>(heads * keys, 1), {heads, 1, keys}};
        poisoned.allowed->values[static_cast<std::size_t>(head * keys + at)] = 0;
        const HeldProblem clean = poisoned;
        for (std::int64_t c = 0; c < dim; ++c) {
            const auto slot = static_cast<std::size_t>((head * keys + at) * dim + c);
            poisoned.k[slot] = not_a_number;
            poisoned.v[slot] = infinity;
        }
        for (const Kernel kernel : kernels) {
            INFO("kernel " << attention::name(kernel) << ", head " << head);
            CHECK(compare::bits("output", solve(poisoned, kernel), solve(clean, kernel),
                                compare::output_axes(clean.problem())) == "");
        }
    }
}

TEST_CASE("attention: scale", "[attention]") {
    HeldProblem held = scores_problem({1, 3});
    const auto mean = [](double first, double second) {
        const double a = std::exp(first);
        const double b = std::exp(second);
        return (a * 1 + b * 2) / (a + b);
    };
    SECTION("by default 1 / sqrt(D)") {
        held.scale.reset();
        expect(held, {mean(1, 3)}, 1e-6);
        held.shape.head_dim = 4;
        held.q = {1, 1, 1, 1};
        held.k = {1, 1, 1, 1, 3, 3, 3, 3};
        expect(held, {mean(4 / 2, 12 / 2)}, 1e-6);
    }
    SECTION("zero makes all visible keys equal") {
        held.scale = 0.0;
        expect(held, {1.5}, 0.0);
    }
    SECTION("negative turns the order round") {
        held.scale = -1.0;
        expect(held, {mean(-1, -3)}, 1e-6);
        held.scale = -100.0;
        expect(held, {1}, 1e-6);
    }
    SECTION("applies to the dot product, not to the bias") {
        held.scale = 0.5;
        held.bias = {{2, -1}, {}};
        expect(held, {mean(0.5 + 2, 1.5 - 1)}, 1e-6);
    }
}

TEST_CASE("attention: softcap is c tanh(score / c), after scaling and before bias", "[attention]") {
    HeldProblem held = scores_problem({-3, 8});
    held.scale = 2.0;
    held.softcap = 4.0;
    held.bias = {{1, -2}, {}};
    const double first = std::exp(4 * std::tanh(-6.0 / 4) + 1);
    const double second = std::exp(4 * std::tanh(16.0 / 4) - 2);
    expect(held, {(first + 2 * second) / (first + second)}, 1e-6);
    const attention::Trace trace = traced(held);
    CHECK(std::abs(trace.capped[0] - 4 * std::tanh(-1.5)) < 1e-6);
    CHECK(std::abs(trace.masked[1] - (4 * std::tanh(4.0) - 2)) < 1e-6);
}

TEST_CASE("attention: all conditions hold at once", "[attention]") {
    // Six keys, each hidden by one rule alone but for the last visible ones.
    HeldProblem held = mean_problem(1, {1, 2, 4, 8, 16, 32});
    held.query_positions = {4};
    held.window = {.left = 3, .right = 5};
    held.allowed = {{1, 1, 0, 1, 1, 1}, {}};
    held.bias = {{0, 0, 0, -infinity, 0, 0}, {}};
    expect(held, {(2.0 + 16.0) / 2}, 1e-6);
    const attention::Trace trace = traced(held);
    using namespace attention::hidden;
    CHECK(trace.hidden_by ==
          std::vector<attention::Hidden>{by_window_left, 0, by_allowed, by_bias, 0, by_causal});
}

TEST_CASE("attention: a visible NaN or infinity shows", "[attention]") {
    SECTION("NaN in a value: in that feature of the rows that see it, nowhere else") {
        HeldProblem held = zero_problem({.queries = 3, .keys = 3, .head_dim = 1, .value_dim = 2});
        held.v = {1, 1, not_a_number, 2, 3, 3};
        const double nan = not_a_number;
        expect(held, {1, 1, nan, 1.5, nan, 2}, 1e-6);
    }
    SECTION("NaN in a key: in all of the rows that see it") {
        HeldProblem held = zero_problem({.queries = 3, .keys = 3, .head_dim = 1, .value_dim = 2});
        held.v = {1, 1, 2, 2, 3, 3};
        held.k = {0, not_a_number, 0};
        const double nan = not_a_number;
        expect(held, {1, 1, nan, nan, nan, nan}, 1e-6);
    }
    SECTION("NaN in a query: in its row") {
        HeldProblem held = zero_problem({.queries = 3, .keys = 3, .head_dim = 1, .value_dim = 2});
        held.v = {1, 1, 2, 2, 3, 3};
        held.q = {0, not_a_number, 0};
        const double nan = not_a_number;
        expect(held, {1, 1, nan, nan, 2, 2}, 1e-6);
    }
    SECTION("NaN in a bias") {
        HeldProblem held = mean_problem(1, {1, 2, 3});
        held.bias = {{0, not_a_number, 0}, {}};
        expect(held, {static_cast<double>(not_a_number)}, 0.0);
    }
    SECTION("a bias of +infinity") {
        HeldProblem held = mean_problem(1, {1, 2, 3});
        held.bias = {{0, infinity, 0}, {}};
        expect(held, {static_cast<double>(not_a_number)}, 0.0);
    }
    SECTION("NaN under softcap") {
        HeldProblem held = scores_problem({0, not_a_number});
        held.softcap = 2.0;
        expect(held, {static_cast<double>(not_a_number)}, 0.0);
    }
    SECTION("NaN in the last of many keys, whatever the tile") {
        for (const std::int64_t keys : {2, 7, 8, 33, 65, 130}) {
            for (const float first : {0.0F, 90.0F}) {  // the NaN may come after a large score
                std::vector<float> scores(static_cast<std::size_t>(keys), 0.0F);
                scores.front() = first;
                scores.back() = not_a_number;
                expect(scores_problem(scores), {static_cast<double>(not_a_number)}, 0.0);
                std::swap(scores.front(), scores.back());
                expect(scores_problem(scores), {static_cast<double>(not_a_number)}, 0.0);
            }
        }
    }
}

TEST_CASE("attention: a score of -infinity hides, however it came", "[attention]") {
    SECTION("by the key") {
        HeldProblem held = scores_problem({0, -infinity, 0});
        held.v[1] = not_a_number;
        expect(held, {2}, 1e-6);
    }
    SECTION("all of a row") { expect(scores_problem({-infinity, -infinity}), {0}, 0.0); }
    SECTION("softcap makes it finite again, so it does not hide") {
        HeldProblem held = scores_problem({0, -infinity});
        held.softcap = 1.0;
        const double weight = std::exp(-1.0) / (1.0 + std::exp(-1.0));
        expect(held, {1 + weight}, 1e-6);
    }
}

TEST_CASE("attention: a NaN that one query sees stays out of the rows that do not", "[attention]") {
    // Rows share their tiles with rows that see the NaN: 0 * NaN must not be
    // computed for a hidden pair.
    for (const std::int64_t tokens : {5, 8, 17, 48, 65}) {
        for (const std::int64_t at : {std::int64_t{1}, tokens / 2, tokens - 1}) {
            for (const float poison : {not_a_number, infinity}) {
                HeldProblem held = normal_problem({.query_heads = 2,
                                                   .kv_heads = 1,
                                                   .queries = tokens,
                                                   .keys = tokens,
                                                   .head_dim = 3,
                                                   .value_dim = 3},
                                                  6);
                const HeldProblem clean = held;
                for (std::int64_t d = 0; d < 3; ++d) {
                    held.v[static_cast<std::size_t>(at * 3 + d)] = poison;
                    held.k[static_cast<std::size_t>(at * 3 + d)] = not_a_number;
                }
                for (const Kernel kernel : kernels) {
                    INFO("kernel " << attention::name(kernel) << ", poison at " << at << ", "
                                   << describe(held.problem()));
                    const auto right = solve(clean, kernel);
                    const auto got = solve(held, kernel);
                    for (std::size_t index = 0; index < got.size(); ++index) {
                        const auto row = static_cast<std::int64_t>(index / 3) % tokens;
                        INFO("row " << row);
                        if (row < at) {
                            REQUIRE(got[index] == right[index]);
                        } else {
                            REQUIRE(std::isnan(got[index]));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("attention: the inputs are left as they were", "[attention]") {
    const HeldProblem held = normal_problem(
        {.query_heads = 4, .kv_heads = 2, .queries = 9, .keys = 9, .head_dim = 5, .value_dim = 5},
        9);
    const HeldProblem copy = held;
    for (const Kernel kernel : kernels) solve(held, kernel);
    CHECK(held.q == copy.q);
    CHECK(held.k == copy.k);
    CHECK(held.v == copy.v);
}

TEST_CASE("attention: nothing beside the output is written", "[attention]") {
    for (const std::int64_t dim : {1, 3, 8, 17}) {
        for (const std::int64_t queries : {1, 5, 9}) {
            const HeldProblem held = normal_problem(
                {.query_heads = 2, .queries = queries, .keys = 9, .head_dim = 4, .value_dim = dim},
                10);
            const auto size = static_cast<std::size_t>(2 * queries * dim);
            for (const Layout layout : layouts) {
                const HeldProblem laid_out = in_layout(held, layout);
                for (const Kernel kernel : kernels) {
                    std::vector<float> memory(size + 32, 7.0F);
                    const auto status = attention::attend(
                        laid_out.problem(kernel), std::span<float>(memory).subspan(16, size));
                    REQUIRE(status.ok());
                    INFO("kernel " << attention::name(kernel) << ", "
                                   << describe(laid_out.problem()));
                    for (std::size_t at = 0; at < 16; ++at) {
                        REQUIRE(memory[at] == 7.0F);
                        REQUIRE(memory[16 + size + at] == 7.0F);
                    }
                }
            }
        }
    }
}
