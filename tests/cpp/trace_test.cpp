// trace(): every intermediate of a problem, against the oracle's.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/oracle.hpp"
#include "support/paths.hpp"
#include "support/problems.hpp"

using namespace support;
using attention::Trace;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

template <class Value>
double largest(const std::vector<Value>& values) {
    double most = 0;
    for (const Value value : values) {
        if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
    }
    return most;
}

/// A stage of the trace against the same stage in float64, within twice what
/// plain float32 errs in it, and an ulp or two of its largest value.
std::string stage(const char* name, const std::vector<float>& got, const std::vector<double>& truth,
                  const std::vector<float>& plain, const compare::Axes& axes) {
    double error = 0;
    for (std::size_t at = 0; at < truth.size(); ++at) {
        if (std::isfinite(truth[at]) && std::isfinite(plain[at])) {
            error = std::max(error, std::abs(plain[at] - truth[at]));
        }
    }
    return compare::tensors(name, got, truth, 2 * error + 3e-7 * (1 + largest(truth)), axes);
}

void check_against_oracle(const HeldProblem& held) {
    const attention::Problem problem = held.problem();
    const Trace trace = traced(held);
    const auto truth = oracle::evaluate<double>(problem);
    const auto plain = oracle::evaluate<float>(problem);
    const compare::Axes pairs = compare::pair_axes(problem.shape);
    const compare::Axes rows = compare::row_axes(problem.shape);
    CHECK(stage("dots", trace.dots, truth.dots, plain.dots, pairs) == "");
    CHECK(stage("scores", trace.scores, truth.scores, plain.scores, pairs) == "");
    CHECK(stage("capped", trace.capped, truth.capped, plain.capped, pairs) == "");
    CHECK(stage("masked", trace.masked, truth.masked, plain.masked, pairs) == "");
    CHECK(stage("weights", trace.weights, truth.weights, plain.weights, pairs) == "");
    CHECK(stage("row_max", trace.row_max, truth.row_max, plain.row_max, rows) == "");
    CHECK(stage("row_sum", trace.row_sum, truth.row_sum, plain.row_sum, rows) == "");
    CHECK(trace.hidden_by == truth.hidden_by);
    CHECK(compare::output(problem, trace.output, compare::truth_of(problem)) == "");
}

}  // namespace

TEST_CASE("trace: every stage of random problems", "[trace][differential]") {
    const auto alone = seed_from_environment();
    int seen = 0;
    for (std::uint64_t seed = alone.value_or(5000); seen < (alone ? 1 : 400); ++seed) {
        const RandomProblem random = random_problem(seed);
        // NaN and infinities are in tests of their own below: here every stage
        // of every pair is compared, the hidden ones too.
        const Features& f = random.features;
        if (!alone && (f.poisoned || f.part_poisoned || f.plus_infinity)) continue;
        ++seen;
        INFO("ATTENTION_SEED=" << seed << ", " << describe(random.held.problem()));
        HeldProblem held = random.held;
        if (random.value_scale != 1.0) {
            for (float& value : held.v) value /= static_cast<float>(random.value_scale);
        }
        check_against_oracle(held);
    }
}

TEST_CASE("trace: its output is the reference kernel's, bit for bit", "[trace]") {
    for (std::uint64_t seed = 6000; seed < 6050; ++seed) {
        const HeldProblem held = random_problem(seed).held;
        INFO("seed " << seed << ", " << describe(held.problem()));
        CHECK(compare::bits("output", traced(held).output,
                            solve(held, attention::Kernel::reference),
                            compare::output_axes(held.problem())) == "");
    }
}

TEST_CASE("trace: weights of a row sum to 1, or to 0 where it sees nothing", "[trace]") {
    int empty = 0;
    int full = 0;
    for (std::uint64_t seed = 7000; seed < 7150; ++seed) {
        const RandomProblem random = random_problem(seed);
        if (random.features.part_poisoned || random.features.plus_infinity) continue;
        const Trace trace = traced(random.held);
        const auto keys = static_cast<std::size_t>(random.held.shape.keys);
        for (std::size_t row = 0; row < trace.row_sum.size(); ++row) {
            double sum = 0;
            bool sees = false;
            float most = -infinity;
            for (std::size_t key = row * keys; key < (row + 1) * keys; ++key) {
                sum += trace.weights[key];
                sees = sees || trace.hidden_by[key] == 0;
                most = std::max(most, trace.masked[key]);
                if (trace.hidden_by[key] != 0) {
                    REQUIRE(trace.weights[key] == 0.0F);
                    REQUIRE(trace.masked[key] == -infinity);
                }
            }
            INFO("seed " << seed << ", row " << row << ", " << describe(random.held.problem()));
            REQUIRE(trace.row_max[row] == most);
            if (sees) {
                ++full;
                REQUIRE(std::abs(sum - 1.0) < 1e-6 * (1 + static_cast<double>(keys) / 64));
                REQUIRE(trace.row_sum[row] >= 1.0F);
            } else {
                ++empty;
                REQUIRE(sum == 0.0);
                REQUIRE(trace.row_sum[row] == 0.0F);
                REQUIRE(trace.row_max[row] == -infinity);
            }
        }
    }
    CHECK(empty > 100);
    CHECK(full > 1000);
}

TEST_CASE("trace: the dots of hidden pairs are there", "[trace]") {
    HeldProblem held = zero_problem({.queries = 2, .keys = 2, .head_dim = 1, .value_dim = 1});
    held.q = {2, 3};
    held.k = {5, 7};
    held.scale = 0.5;
    const Trace trace = traced(held);
    CHECK(trace.dots == std::vector<float>{10, 14, 15, 21});
    CHECK(trace.scores == std::vector<float>{5, 7, 7.5F, 10.5F});
    CHECK(trace.capped == trace.scores);
    CHECK(trace.masked == std::vector<float>{5, -infinity, 7.5F, 10.5F});
    CHECK(trace.hidden_by == std::vector<attention::Hidden>{0, attention::hidden::by_causal, 0, 0});
}

TEST_CASE("trace: the mask's shape does not matter, only what it broadcasts to", "[trace]") {
    HeldProblem held = normal_problem({.batch = 2,
                                       .query_heads = 2,
                                       .kv_heads = 1,
                                       .queries = 3,
                                       .keys = 3,
                                       .head_dim = 4,
                                       .value_dim = 2},
                                      11);
    held.bias = {{0.5F, -infinity, 2.0F}, {3}};
    const Trace row = traced(held);
    held.bias = {{0.5F, -infinity, 2.0F, 0.5F, -infinity, 2.0F, 0.5F, -infinity, 2.0F}, {}};
    const Trace square = traced(held);
    CHECK(row.masked == square.masked);
    CHECK(row.weights == square.weights);
    CHECK(row.hidden_by == square.hidden_by);
}

TEST_CASE("trace: a problem beyond the limit is too large, one at the limit is not", "[trace]") {
    HeldProblem held = zero_problem({.queries = 2048, .keys = 2048, .head_dim = 1, .value_dim = 1});
    REQUIRE(held.shape.queries * held.shape.keys == attention::max_trace_pairs);
    CHECK(traced(held).weights.size() == std::size_t{1} << 22);

    held = zero_problem({.queries = 2049, .keys = 2048, .head_dim = 1, .value_dim = 1});
    Trace untouched;
    untouched.weights = {7};
    untouched.output = {8};
    const attention::Status status = attention::trace(held.problem(), untouched);
    CHECK(status.code == attention::Code::too_large);
    INFO(status.message);
    CHECK(status.message.find("4194304") != std::string::npos);
    CHECK(status.message.find("4196352") != std::string::npos);
    CHECK(untouched.weights == std::vector<float>{7});
    CHECK(untouched.output == std::vector<float>{8});
    CHECK(solve(held, attention::Kernel::online).size() == 2049);  // attend() has no such limit
}

TEST_CASE("trace: bad input is the same error as in attend()", "[trace]") {
    HeldProblem held = zero_problem({.queries = 2, .keys = 2, .head_dim = 1, .value_dim = 1});
    held.scale = std::numeric_limits<double>::quiet_NaN();
    std::vector<float> output(2);
    const attention::Status of_attend = attention::attend(held.problem(), output);
    Trace untouched;
    untouched.dots = {7};
    const attention::Status of_trace = attention::trace(held.problem(), untouched);
    CHECK(of_trace.code == of_attend.code);
    CHECK(of_trace.field == of_attend.field);
    CHECK(of_trace.message == of_attend.message);
    CHECK(untouched.dots == std::vector<float>{7});
}
