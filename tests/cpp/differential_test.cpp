// Random problems over all features, on every kernel, against the float64
// evaluation of support/oracle.hpp, within the contract's accuracy.
//
// ATTENTION_SEED=n runs the problem of seed n alone.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/oracle.hpp"
#include "support/paths.hpp"
#include "support/problems.hpp"
#include "support/random.hpp"

using namespace support;
using attention::Shape;

namespace {

constexpr std::uint64_t first_seed = 1;
constexpr std::uint64_t problems = 2400;

/// Solves on every kernel; an error of the library is a failure, too.
void check_kernels(const HeldProblem& held, double value_scale, const std::string& seed) {
    const compare::Truth truth = compare::truth_of(held.problem(), value_scale);
    for (const attention::Kernel kernel : kernels) {
        INFO(seed << ", kernel " << attention::name(kernel) << ", plain float32 errs by "
                  << truth.float32_error);
        CHECK(compare::output(held.problem(), solve(held, kernel), truth) == "");
    }
}

}  // namespace

TEST_CASE("differential: every kernel on random problems", "[differential]") {
    const auto alone = seed_from_environment();
    const std::uint64_t from = alone.value_or(first_seed);
    const std::uint64_t to = alone ? from + 1 : first_seed + problems;
    for (std::uint64_t seed = from; seed < to; ++seed) {
        const RandomProblem random = random_problem(seed);
        check_kernels(random.held, random.value_scale, "ATTENTION_SEED=" + std::to_string(seed));
    }
}

TEST_CASE("differential: the random problems cover what they are meant to", "[differential]") {
    if (seed_from_environment()) SKIP("ATTENTION_SEED asks for one problem only");
    int grouped = 0, windowed = 0, positioned = 0, allowed = 0, biased = 0, plus_infinity = 0;
    int capped = 0, scaled = 0, poisoned = 0, part_poisoned = 0, empty_rows = 0, no_pairs = 0;
    int token_first = 0, odd_dim = 0, long_keys = 0, more_queries = 0, by_default = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + problems; ++seed) {
        const RandomProblem random = random_problem(seed);
        const Features& f = random.features;
        const Shape& shape = random.held.shape;
        grouped += f.grouped;
        windowed += f.windowed;
        positioned += f.positioned;
        allowed += f.allowed;
        biased += f.biased;
        plus_infinity += f.plus_infinity;
        capped += f.capped;
        scaled += f.scaled;
        poisoned += f.poisoned && f.empty_rows;
        part_poisoned += f.part_poisoned;
        empty_rows += f.empty_rows;
        no_pairs += f.no_pairs;
        token_first += f.token_first;
        odd_dim += shape.head_dim % 2 == 1 && shape.head_dim > 1;
        long_keys += shape.keys > 128;
        more_queries += shape.queries > shape.keys;
        by_default += !f.windowed && !f.positioned && !f.allowed && !f.biased;
    }
    CHECK(grouped > 500);
    CHECK(windowed > 400);
    CHECK(positioned > 400);
    CHECK(allowed > 400);
    CHECK(biased > 400);
    CHECK(plus_infinity > 10);
    CHECK(capped > 400);
    CHECK(scaled > 800);
    CHECK(poisoned > 200);
    CHECK(part_poisoned > 100);
    CHECK(empty_rows > 400);
    CHECK(no_pairs > 15);
    CHECK(token_first > 800);
    CHECK(odd_dim > 500);
    CHECK(long_keys > 200);
    CHECK(more_queries > 200);
    CHECK(by_default > 300);
}

TEST_CASE("differential: every pair of lengths at the edges of tiles", "[differential]") {
    const std::int64_t edges[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 15,
                                  16, 17, 31, 32, 33, 44, 45, 46, 47, 48, 49, 63, 64, 65};
    std::uint64_t seed = 0;
    for (const std::int64_t queries : edges) {
        for (const std::int64_t keys : edges) {
            Random random(++seed);
            HeldProblem held = normal_problem(
                {.queries = queries, .keys = keys, .head_dim = 6, .value_dim = 5}, seed);
            held.causal = random.chance(0.6);
            if (random.chance(0.4)) held.window = {random.whole(0, keys), random.whole(0, keys)};
            check_kernels(held, 1.0, "T " + std::to_string(queries) + " S " + std::to_string(keys));
        }
    }
}

TEST_CASE("differential: every head and value dimension from 1 to 72", "[differential]") {
    for (std::int64_t dim = 1; dim <= 72; ++dim) {
        for (const std::int64_t value_dim : {dim, 73 - dim}) {
            const HeldProblem held = normal_problem({.query_heads = 2,
                                                     .queries = 9,
                                                     .keys = 14,
                                                     .head_dim = dim,
                                                     .value_dim = value_dim},
                                                    static_cast<std::uint64_t>(dim));
            check_kernels(held, 1.0,
                          "D " + std::to_string(dim) + " Dv " + std::to_string(value_dim));
        }
    }
}

TEST_CASE("differential: long rows and wide heads", "[differential]") {
    const Shape shapes[] = {
        {.queries = 257, .keys = 257, .head_dim = 64, .value_dim = 64},
        {.queries = 3, .keys = 2049, .head_dim = 16, .value_dim = 8},
        {.query_heads = 8,
         .kv_heads = 1,
         .queries = 1,
         .keys = 1000,
         .head_dim = 128,
         .value_dim = 128},
        {.queries = 130, .keys = 5, .head_dim = 257, .value_dim = 129},
        {.query_heads = 16,
         .kv_heads = 2,
         .queries = 5,
         .keys = 97,
         .head_dim = 33,
         .value_dim = 300},
    };
    std::uint64_t seed = 100;
    for (const Shape& shape : shapes) {
        for (const bool causal : {true, false}) {
            HeldProblem held = normal_problem(shape, ++seed);
            held.causal = causal;
            check_kernels(held, 1.0, describe(held.problem()));
            held.window = {.left = 40, .right = 3};
            check_kernels(held, 1.0, describe(held.problem()));
        }
    }
}
