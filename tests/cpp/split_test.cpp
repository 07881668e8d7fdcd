// split(): the parts of a problem cover it once, and solved one by one they give
// the whole, bit for bit.

#include "attention/split.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <tuple>
#include <vector>

#include "support/compare.hpp"
#include "support/oracle.hpp"
#include "support/paths.hpp"
#include "support/problems.hpp"

using namespace support;
using attention::Layout;
using attention::Part;
using attention::Shape;

namespace {

HeldProblem shaped(const Shape& shape) { return normal_problem(shape, 17); }

/// Rows [from, from + count) of a run of heads of a tensor [heads, rows, dim].
std::vector<float> cut(const std::vector<float>& tensor, std::int64_t first_head,
                       std::int64_t heads, std::int64_t rows, std::int64_t from, std::int64_t count,
                       std::int64_t dim) {
    std::vector<float> taken;
    for (std::int64_t head = first_head; head < first_head + heads; ++head) {
        const auto start = tensor.begin() + (head * rows + from) * dim;
        taken.insert(taken.end(), start, start + count * dim);
    }
    return taken;
}

/// A part as a problem of its own. Everything that depends on where the part
/// lies in the whole is written out: positions and masks.
HeldProblem problem_of(const HeldProblem& whole, const Part& part) {
    const Shape& s = whole.shape;
    const std::int64_t group = s.query_heads / s.kv_heads;
    const std::int64_t first_head = part.batch * s.query_heads + part.kv_head * group;
    const std::int64_t kv_head = part.batch * s.kv_heads + part.kv_head;
    HeldProblem held = whole;
    held.shape = {.query_heads = group,
                  .kv_heads = 1,
                  .queries = part.queries,
                  .keys = part.keys,
                  .head_dim = s.head_dim,
                  .value_dim = s.value_dim};
    held.q = cut(whole.q, first_head, group, s.queries, part.first_query, part.queries, s.head_dim);
    held.k = cut(whole.k, kv_head, 1, s.keys, 0, part.keys, s.head_dim);
    held.v = cut(whole.v, kv_head, 1, s.keys, 0, part.keys, s.value_dim);

    held.query_positions.emplace();
    for (std::int64_t query = part.first_query; query < part.first_query + part.queries; ++query) {
        std::int64_t position = s.keys - s.queries + query;
        if (whole.query_positions) {
            const bool shared = std::ssize(*whole.query_positions) == s.queries;
            const std::int64_t at = (shared ? 0 : part.batch * s.queries) + query;
            position = (*whole.query_positions)[static_cast<std::size_t>(at)];
        }
        held.query_positions->push_back(static_cast<std::int32_t>(position));
    }
    if (whole.key_positions) {
        const bool shared = std::ssize(*whole.key_positions) == s.keys;
        const auto start = whole.key_positions->begin() + (shared ? 0 : part.batch * s.keys);
        held.key_positions = std::vector<std::int32_t>(start, start + part.keys);
    }
    if (!whole.allowed) return held;
    const attention::Problem problem = whole.problem();
    held.allowed = {{}, {group, part.queries, part.keys}};
    for (std::int64_t g = 0; g < group; ++g) {
        for (std::int64_t t = 0; t < part.queries; ++t) {
            for (std::int64_t k = 0; k < part.keys; ++k) {
                const auto by = oracle::hidden_by(problem, part.batch, part.kv_head * group + g,
                                                  part.first_query + t, k);
                held.allowed->values.push_back((by & attention::hidden::by_allowed) == 0);
            }
        }
    }
    return held;
}

/// Solves the parts by the whole's kernel and puts their outputs together.
std::vector<float> by_parts(const HeldProblem& whole, attention::Kernel kernel,
                            std::int64_t workers) {
    const Shape& s = whole.shape;
    const std::int64_t group = s.query_heads / s.kv_heads;
    std::vector<float> output(static_cast<std::size_t>(attention::output_size(s)));
    for (const Part& part : attention::split(whole.problem(kernel), workers)) {
        const std::vector<float> got = solve(problem_of(whole, part), kernel);
        for (std::int64_t g = 0; g < group; ++g) {
            const std::int64_t head = part.batch * s.query_heads + part.kv_head * group + g;
            std::copy_n(got.begin() + g * part.queries * s.value_dim, part.queries * s.value_dim,
                        output.begin() + (head * s.queries + part.first_query) * s.value_dim);
        }
    }
    return output;
}

}  // namespace

TEST_CASE("split: parts cover every query of every head once", "[split]") {
    const Shape shapes[] = {
        {.queries = 1, .keys = 8, .head_dim = 1, .value_dim = 1},
        {.batch = 3,
         .query_heads = 4,
         .kv_heads = 2,
         .queries = 700,
         .keys = 1,
         .head_dim = 1,
         .value_dim = 1},
        {.query_heads = 6,
         .kv_heads = 2,
         .queries = 2049,
         .keys = 1,
         .head_dim = 1,
         .value_dim = 1},
        {.query_heads = 500,
         .kv_heads = 500,
         .queries = 3,
         .keys = 1,
         .head_dim = 1,
         .value_dim = 1},
        {.query_heads = 300,
         .kv_heads = 1,
         .queries = 40,
         .keys = 1,
         .head_dim = 1,
         .value_dim = 1},
    };
    for (const Shape& shape : shapes) {
        const HeldProblem held = zero_problem(shape);
        for (const std::int64_t workers : {1, 2, 3, 7, 64}) {
            std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
            std::int64_t rows = 0;
            for (const Part& part : attention::split(held.problem(), workers)) {
                REQUIRE(0 <= part.batch);
                REQUIRE(part.batch < shape.batch);
                REQUIRE(0 <= part.kv_head);
                REQUIRE(part.kv_head < shape.kv_heads);
                REQUIRE(0 <= part.first_query);
                REQUIRE(part.queries > 0);
                REQUIRE(part.first_query + part.queries <= shape.queries);
                REQUIRE(0 <= part.keys);
                REQUIRE(part.keys <= shape.keys);
                for (std::int64_t t = 0; t < part.queries; ++t) {
                    seen.emplace(part.batch, part.kv_head, part.first_query + t);
                }
                rows += part.queries;
            }
            INFO(workers << " workers, " << describe(held.problem()));
            CHECK(rows == shape.batch * shape.kv_heads * shape.queries);
            CHECK(std::ssize(seen) == rows);
        }
    }
}

TEST_CASE("split: long problems have work for every worker, the costly rows first", "[split]") {
    const HeldProblem held =
        zero_problem({.queries = 4096, .keys = 4096, .head_dim = 1, .value_dim = 1});
    const std::vector<Part> parts = attention::split(held.problem(), 4);
    CHECK(parts.size() >= 4);
    for (std::size_t at = 1; at < parts.size(); ++at) {
        CHECK(parts[at].first_query <= parts[at - 1].first_query);
    }
}

TEST_CASE("split: a head stays whole while there are more heads than workers", "[split]") {
    const HeldProblem held = zero_problem({.batch = 2,
                                           .query_heads = 8,
                                           .kv_heads = 4,
                                           .queries = 2048,
                                           .keys = 2048,
                                           .head_dim = 1,
                                           .value_dim = 1});
    const std::vector<Part> parts = attention::split(held.problem(), 3);
    // 8 heads of keys: 5 whole, and 3 in 3 runs of queries each.
    REQUIRE(parts.size() == 5 + 3 * 3);
    for (std::size_t at = 0; at < parts.size(); ++at) {
        INFO("part " << at);
        CHECK((parts[at].queries == 2048) == (at < 5));
        // Pairs under the causal mask, which is what a part costs: never more than before.
        const auto pairs = [](const Part& part) {
            return part.queries * (2 * part.keys - part.queries);
        };
        if (at > 0) CHECK(pairs(parts[at]) <= pairs(parts[at - 1]));
    }
}

TEST_CASE("split: a part has the keys that its queries can reach, and no more", "[split]") {
    HeldProblem held = zero_problem({.queries = 4096, .keys = 5000, .head_dim = 1, .value_dim = 1});
    for (const Part& part : attention::split(held.problem(), 4)) {
        INFO("queries from " << part.first_query);
        CHECK(part.keys == 5000 - 4096 + part.first_query + part.queries);
    }
    held.causal = false;
    for (const Part& part : attention::split(held.problem(), 4)) CHECK(part.keys == 5000);
}

TEST_CASE("split: nothing to do has no parts", "[split]") {
    const Shape shape = {.queries = 4, .keys = 4, .head_dim = 1, .value_dim = 1};
    HeldProblem held = zero_problem(shape);
    held.shape.batch = 0;
    CHECK(attention::split(held.problem(), 4).empty());
    held = zero_problem(shape);
    held.shape.queries = 0;
    CHECK(attention::split(held.problem(), 4).empty());
}

TEST_CASE("split: the parts give the whole, bit for bit", "[split]") {
    std::vector<HeldProblem> problems;
    problems.push_back(shaped({.batch = 2,
                               .query_heads = 6,
                               .kv_heads = 2,
                               .queries = 391,
                               .keys = 400,
                               .head_dim = 5,
                               .value_dim = 7}));
    problems.push_back(shaped({.queries = 1030, .keys = 130, .head_dim = 4, .value_dim = 3}));
    problems.back().window = {.left = 60, .right = 0};
    for (std::uint64_t seed = 11'000; seed < 11'060; ++seed) {
        const RandomProblem random = random_problem(seed);
        // Biases would need writing out as masks do; NaN takes other paths.
        const Features& f = random.features;
        if (f.biased || f.poisoned || f.part_poisoned || random.held.margin != 0) continue;
        problems.push_back(in_layout(random.held, Layout::bhtd));
    }
    REQUIRE(problems.size() > 15);
    for (const HeldProblem& whole : problems) {
        for (const attention::Kernel choice :
             {attention::Kernel::automatic, attention::Kernel::tiled, attention::Kernel::decode}) {
            const attention::Kernel kernel = attention::kernel_for(whole.problem(choice));
            INFO("kernel " << attention::name(kernel) << ", " << describe(whole.problem()));
            CHECK(compare::bits("output", by_parts(whole, kernel, 3), solve(whole, kernel),
                                compare::output_axes(whole.problem())) == "");
        }
    }
}
