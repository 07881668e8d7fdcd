// cost(): closed forms against counting pair by pair.

#include "attention/cost.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <vector>

#include "support/held_problem.hpp"
#include "support/oracle.hpp"
#include "support/problems.hpp"

using namespace support;
using attention::Cost;
using attention::MaskRules;
using attention::Shape;
using attention::Window;

namespace {

Cost costed(const Shape& shape, const MaskRules& rules, std::int64_t element_bytes = 4) {
    Cost cost;
    const attention::Status status = attention::cost(shape, rules, element_bytes, cost);
    REQUIRE(status.message == "");
    return cost;
}

double count_pairs(const attention::Problem& problem) {
    const Shape& s = problem.shape;
    double visible = 0;
    for (std::int64_t b = 0; b < s.batch; ++b) {
        for (std::int64_t h = 0; h < s.query_heads; ++h) {
            for (std::int64_t t = 0; t < s.queries; ++t) {
                for (std::int64_t k = 0; k < s.keys; ++k) {
                    visible += oracle::hidden_by(problem, b, h, t, k) == 0;
                }
            }
        }
    }
    return visible;
}

}  // namespace

TEST_CASE("cost: 4 T^2 D for the full square of one head", "[cost]") {
    const double tokens = 1024;
    const double dim = 64;
    MaskRules all;
    all.causal = false;
    const Cost cost = costed({.queries = 1024, .keys = 1024, .head_dim = 64, .value_dim = 64}, all);
    CHECK(cost.flops == 4 * tokens * tokens * dim);
    CHECK(cost.visible_flops == cost.flops);
    CHECK(cost.pairs == tokens * tokens);
    CHECK(cost.visible_pairs == tokens * tokens);
    CHECK(cost.score_bytes == 4 * tokens * tokens);

    // A layer of H heads of D = M / H features costs 4 T^2 M whatever H is.
    for (const std::int64_t heads : {1, 4, 16}) {
        const Cost layer = costed({.query_heads = heads,
                                   .kv_heads = heads,
                                   .queries = 1024,
                                   .keys = 1024,
                                   .head_dim = 1024 / heads,
                                   .value_dim = 1024 / heads},
                                  all);
        CHECK(layer.flops == 4 * tokens * tokens * 1024);
    }
}

TEST_CASE("cost: the causal rule leaves T (T + 1) / 2 pairs", "[cost]") {
    for (const std::int64_t tokens : {1, 2, 57, 1000, 100'000}) {
        const auto t = static_cast<double>(tokens);
        const Cost cost = costed({.batch = 2,
                                  .query_heads = 3,
                                  .kv_heads = 1,
                                  .queries = tokens,
                                  .keys = tokens,
                                  .head_dim = 8,
                                  .value_dim = 6},
                                 {});
        CHECK(cost.visible_pairs == 6 * t * (t + 1) / 2);
        CHECK(cost.visible_flops == 2 * cost.visible_pairs * (8 + 6));
        CHECK(cost.pairs == 6 * t * t);
        CHECK(cost.flops == 2 * cost.pairs * 14);
    }
}

TEST_CASE("cost: a window of w keys leaves about T w pairs", "[cost]") {
    const std::int64_t tokens = 100'000;
    const std::int64_t width = 4096;
    MaskRules rules;
    rules.window = Window{width - 1, 0};
    const Cost cost =
        costed({.queries = tokens, .keys = tokens, .head_dim = 1, .value_dim = 1}, rules);
    const auto t = static_cast<double>(tokens);
    const auto w = static_cast<double>(width);
    CHECK(cost.visible_pairs == t * w - w * (w - 1) / 2);
}

TEST_CASE("cost: a decoding step sees all keys, a chunk its trapezium", "[cost]") {
    const Shape step = {.queries = 1, .keys = 58, .head_dim = 1, .value_dim = 1};
    CHECK(costed(step, {}).visible_pairs == 58);
    const Shape chunk = {.queries = 8, .keys = 48, .head_dim = 1, .value_dim = 1};
    CHECK(costed(chunk, {}).visible_pairs == 41 + 42 + 43 + 44 + 45 + 46 + 47 + 48);
}

TEST_CASE("cost: visible pairs of small masks, counted", "[cost]") {
    const std::optional<std::int64_t> sides[] = {std::nullopt, 0, 1, 3, 20};
    for (const bool causal : {true, false}) {
        for (const auto& left : sides) {
            for (const auto& right : sides) {
                for (const std::int64_t queries : {1, 4, 9}) {
                    for (const std::int64_t keys : {1, 3, 9, 12}) {
                        HeldProblem held = zero_problem(
                            {.queries = queries, .keys = keys, .head_dim = 1, .value_dim = 1});
                        held.causal = causal;
                        held.window = Window{left, right};
                        INFO(describe(held.problem()));
                        CHECK(costed(held.shape, held.problem().mask).visible_pairs ==
                              count_pairs(held.problem()));
                        held.query_positions.emplace();
                        for (std::int64_t at = 0; at < queries; ++at) {
                            held.query_positions->push_back(
                                static_cast<std::int32_t>(at * at * 5 - 12));
                        }
                        CHECK(costed(held.shape, held.problem().mask).visible_pairs ==
                              count_pairs(held.problem()));
                    }
                }
            }
        }
    }
}

TEST_CASE("cost: visible pairs of random problems, counted", "[cost]") {
    for (std::uint64_t seed = 4000; seed < 4300; ++seed) {
        const HeldProblem held = random_problem(seed).held;
        INFO("seed " << seed << ", " << describe(held.problem()));
        const Cost cost = costed(held.shape, held.problem().mask);
        const Shape& s = held.shape;
        CHECK(cost.visible_pairs == count_pairs(held.problem()));
        CHECK(cost.pairs == static_cast<double>(s.batch * s.query_heads * s.queries * s.keys));
        CHECK(cost.visible_flops ==
              2 * cost.visible_pairs * static_cast<double>(s.head_dim + s.value_dim));
    }
}

TEST_CASE("cost: bytes of the KV cache", "[cost]") {
    const auto per_token = [](std::int64_t kv_heads, std::int64_t dim, std::int64_t bytes) {
        return costed({.query_heads = kv_heads * 4,
                       .kv_heads = kv_heads,
                       .queries = 1,
                       .keys = 1,
                       .head_dim = dim,
                       .value_dim = dim},
                      {}, bytes)
            .cache_bytes_per_token;
    };
    CHECK(per_token(8, 128, 2) == 4096);    // Llama 3 8B: 8 KV heads, float16
    CHECK(per_token(32, 128, 2) == 16384);  // Llama 2 7B: as many as query heads
    CHECK(per_token(1, 256, 2) == 1024);    // Gemma 2B: one KV head
    CHECK(per_token(12, 64, 4) == 6144);    // GPT-2 small, float32
    CHECK(per_token(8, 128, 1) == 2048);    // 8 bits
    const Cost cost = costed({.batch = 3,
                              .query_heads = 32,
                              .kv_heads = 8,
                              .queries = 1,
                              .keys = 8192,
                              .head_dim = 128,
                              .value_dim = 64},
                             {}, 2);
    CHECK(cost.cache_bytes_per_token == 8 * (128 + 64) * 2);
    CHECK(cost.cache_bytes == cost.cache_bytes_per_token * 3 * 8192);
}

TEST_CASE("cost: bad input is named and nothing is written", "[cost]") {
    const Shape good = {.queries = 2, .keys = 2, .head_dim = 1, .value_dim = 1};
    const auto check = [](const Shape& shape, const MaskRules& rules, std::int64_t bytes,
                          const char* field, attention::Code code) {
        Cost cost;
        cost.flops = 7;
        const attention::Status status = attention::cost(shape, rules, bytes, cost);
        INFO(status.message);
        CHECK(status.code == code);
        CHECK(status.field == field);
        CHECK(cost.flops == 7);
        CHECK(cost.pairs == 0);
    };
    using attention::Code;
    for (const std::int64_t bytes : {-1, 0, 3, 8}) {
        check(good, {}, bytes, "cacheElementBytes", Code::wrong_value);
    }
    Shape shape = good;
    shape.head_dim = 0;
    check(shape, {}, 4, "headDim", Code::wrong_value);
    shape = good;
    shape.query_heads = 16;
    shape.kv_heads = 5;
    check(shape, {}, 4, "kvHeads", Code::wrong_value);
    MaskRules rules;
    rules.window = Window{-1, 0};
    check(good, rules, 4, "window", Code::wrong_value);
    CHECK(costed(good, {}).pairs == 4);
}
