// The example that the page opens with, number by number: six tokens with their
// vectors as queries, keys and values, scale 1.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "support/compare.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"

using namespace support;
using attention::Trace;

namespace {

constexpr std::int64_t tokens = 6;
constexpr std::size_t journey = 1;

const std::vector<float> x = {
    0.43F, 0.15F, 0.89F,  // Your
    0.55F, 0.87F, 0.66F,  // journey
    0.57F, 0.85F, 0.64F,  // starts
    0.22F, 0.58F, 0.33F,  // with
    0.77F, 0.25F, 0.10F,  // one
    0.05F, 0.80F, 0.55F,  // step
};

const std::vector<double> journey_scores = {0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865};
const std::vector<double> journey_weights = {0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581};
const std::vector<double> journey_output = {0.4419, 0.6515, 0.5683};

const std::vector<double> causal_weights = {
    1.000, 0,     0,     0,     0,     0,      //
    0.368, 0.632, 0,     0,     0,     0,      //
    0.228, 0.389, 0.382, 0,     0,     0,      //
    0.205, 0.296, 0.292, 0.208, 0,     0,      //
    0.175, 0.225, 0.227, 0.157, 0.216, 0,      //
    0.139, 0.218, 0.213, 0.142, 0.099, 0.190,  //
};

/// Half a unit of the last printed digit, and a hair for rounding to float32.
constexpr double four_digits = 0.5e-4 + 1e-6;
/// The table was rounded from four digits to three (0.13847 to 0.1385 to 0.139).
constexpr double three_digits = 0.5e-3 + 0.5e-4 + 1e-6;

HeldProblem example(bool causal) {
    HeldProblem held;
    held.shape = {.queries = tokens, .keys = tokens, .head_dim = 3, .value_dim = 3};
    held.q = held.k = held.v = x;
    held.causal = causal;
    held.scale = 1.0;
    return held;
}

/// Values that turn an output row into its row of weights: value j is the j-th
/// unit vector.
HeldProblem with_unit_values(HeldProblem held) {
    const std::int64_t keys = held.shape.keys;
    held.shape.value_dim = keys;
    held.v.assign(static_cast<std::size_t>(keys * keys), 0.0F);
    for (std::int64_t key = 0; key < keys; ++key) {
        held.v[static_cast<std::size_t>(key * keys + key)] = 1.0F;
    }
    return held;
}

std::vector<float> row_of(const std::vector<float>& matrix, std::size_t row, std::size_t width) {
    const auto start = matrix.begin() + static_cast<std::ptrdiff_t>(row * width);
    return {start, start + static_cast<std::ptrdiff_t>(width)};
}

/// Softmax of three numbers by the library: they are the scores of one query
/// against three keys.
HeldProblem softmax_of(const std::vector<float>& numbers) {
    HeldProblem held;
    const auto count = static_cast<std::int64_t>(numbers.size());
    held.shape = {.queries = 1, .keys = count, .head_dim = 1, .value_dim = 1};
    held.q = {1.0F};
    held.k = numbers;
    held.v.assign(numbers.size(), 0.0F);
    held.scale = 1.0;
    return held;
}

}  // namespace

TEST_CASE("worked example: scores, weights and output for journey, step by step", "[trace]") {
    const Trace trace = traced(example(false));
    const compare::Axes six = {{"s", 6}};
    CHECK(compare::tensors("dots", row_of(trace.dots, journey, 6), journey_scores, four_digits,
                           six) == "");
    CHECK(compare::tensors("scores", row_of(trace.scores, journey, 6), journey_scores, four_digits,
                           six) == "");
    CHECK(compare::tensors("capped", row_of(trace.capped, journey, 6), journey_scores, four_digits,
                           six) == "");
    CHECK(compare::tensors("masked", row_of(trace.masked, journey, 6), journey_scores, four_digits,
                           six) == "");
    CHECK(compare::tensors("weights", row_of(trace.weights, journey, 6), journey_weights,
                           four_digits, six) == "");
    CHECK(compare::tensors("output", row_of(trace.output, journey, 3), journey_output, four_digits,
                           {{"d", 3}}) == "");
    CHECK(std::abs(trace.row_max[journey] - 1.4950) <= four_digits);
    double row_sum = 0;
    for (const double score : journey_scores) row_sum += std::exp(score - 1.4950);
    CHECK(std::abs(trace.row_sum[journey] - row_sum) <= 6 * four_digits);
    for (const attention::Hidden by : trace.hidden_by) CHECK(by == 0);
}

TEST_CASE("worked example: weights and output for journey on every path") {
    on_every_path(example(false), [](const std::vector<float>& output) {
        CHECK(compare::tensors("output", row_of(output, journey, 3), journey_output, four_digits,
                               {{"d", 3}}) == "");
    });
    on_every_path(with_unit_values(example(false)), [](const std::vector<float>& weights) {
        CHECK(compare::tensors("weights", row_of(weights, journey, 6), journey_weights, four_digits,
                               {{"s", 6}}) == "");
    });
}

TEST_CASE("worked example: the causal table", "[trace]") {
    const compare::Axes table = {{"t", 6}, {"s", 6}};
    const Trace trace = traced(example(true));
    CHECK(compare::tensors("weights", trace.weights, causal_weights, three_digits, table) == "");
    on_every_path(with_unit_values(example(true)), [&](const std::vector<float>& weights) {
        CHECK(compare::tensors("weights", weights, causal_weights, three_digits, table) == "");
        for (std::size_t at = 0; at < weights.size(); ++at) {
            INFO("query " << at / 6 << ", key " << at % 6);
            CHECK((weights[at] == 0.0F) == (at % 6 > at / 6));
        }
    });
}

TEST_CASE("worked example: the last causal row equals the last unmasked row") {
    const std::size_t last = tokens - 1;
    CHECK(row_of(traced(example(true)).weights, last, 6) ==
          row_of(traced(example(false)).weights, last, 6));
    for (const attention::Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        CHECK(compare::tensors("output", row_of(solve(example(true), kernel), last, 3),
                               compare::widened(row_of(solve(example(false), kernel), last, 3)),
                               1e-6, {{"d", 3}}) == "");
    }
}

TEST_CASE("worked example: softmax of 1 2 3 and of 8 16 24") {
    const struct {
        std::vector<float> numbers;
        std::vector<double> right;
        double tolerance;
    } rows[] = {
        {{1, 2, 3}, {0.09, 0.24, 0.67}, 0.005 + 1e-6},
        {{8, 16, 24}, {0.0000, 0.0003, 0.9997}, four_digits},
    };
    for (const auto& row : rows) {
        const HeldProblem held = softmax_of(row.numbers);
        CHECK(compare::tensors("weights", traced(held).weights, row.right, row.tolerance,
                               {{"s", 3}}) == "");
        on_every_path(with_unit_values(held), [&](const std::vector<float>& weights) {
            CHECK(compare::tensors("weights", weights, row.right, row.tolerance, {{"s", 3}}) == "");
        });
    }
}

TEST_CASE("worked example: dot products of random vectors deviate by sqrt(d)", "[trace]") {
    // The reason for the scale 1 / sqrt(D). Every pair of vectors is drawn anew,
    // so that the dot products are independent; the deviation of n of them is
    // then known to within about 1 / sqrt(2 n) of itself.
    for (const std::int64_t d : {4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
        const std::int64_t n = std::min<std::int64_t>(16384, (std::int64_t{1} << 21) / d);
        const HeldProblem held = normal_problem(
            {.batch = n, .queries = 1, .keys = 1, .head_dim = d, .value_dim = 1}, 2017);
        const Trace trace = traced(held);
        double squares = 0;
        for (const float dot : trace.dots) squares += static_cast<double>(dot) * dot;
        const double deviation = std::sqrt(squares / static_cast<double>(n));
        const double expected = std::sqrt(static_cast<double>(d));
        const double sampling_error = 1.0 / std::sqrt(2.0 * static_cast<double>(n));
        INFO("d " << d << ", deviation " << deviation << ", expected " << expected);
        CHECK(std::abs(deviation / expected - 1.0) < 4 * sampling_error);

        // Scaled by the default they have unit deviation whatever d is.
        double scaled = 0;
        for (const float score : trace.scores) scaled += static_cast<double>(score) * score;
        CHECK(std::abs(std::sqrt(scaled / static_cast<double>(n)) - 1.0) < 4 * sampling_error);
    }
}

TEST_CASE("worked example: the last token changes no earlier row, bit for bit") {
    // The causal rule itself. The lengths straddle the edges of tiles and vectors.
    for (const std::int64_t length : {2, 6, 7, 8, 16, 17, 33, 48, 64, 65, 97, 130}) {
        for (const std::int64_t dim : {3, 8, 33}) {
            const attention::Shape shape = {.batch = 2,
                                            .query_heads = 4,
                                            .kv_heads = 2,
                                            .queries = length,
                                            .keys = length,
                                            .head_dim = dim,
                                            .value_dim = dim + 1};
            const HeldProblem before = normal_problem(shape, 7);
            HeldProblem after = before;
            Random random(8);
            const auto change_last = [&](std::vector<float>& tensor, std::int64_t width) {
                const std::int64_t heads =
                    static_cast<std::int64_t>(tensor.size()) / (length * width);
                for (std::int64_t head = 0; head < heads; ++head) {
                    for (std::int64_t d = 0; d < width; ++d) {
                        tensor[static_cast<std::size_t>(((head + 1) * length - 1) * width + d)] =
                            100.0F * random.normal();
                    }
                }
            };
            change_last(after.q, dim);
            change_last(after.k, dim);
            change_last(after.v, dim + 1);
            for (const attention::Layout layout : layouts) {
                for (const attention::Kernel kernel : kernels) {
                    INFO("kernel " << attention::name(kernel) << ", "
                                   << describe(in_layout(after, layout).problem()));
                    const auto heads_first = [&](const HeldProblem& held) {
                        return change_layout(solve(in_layout(held, layout), kernel), layout,
                                             attention::Layout::bhtd, 2, 4, length, dim + 1);
                    };
                    std::vector<float> got = heads_first(after);
                    const std::vector<float> expected = heads_first(before);
                    bool last_differs = false;
                    const auto width = static_cast<std::size_t>(dim + 1);
                    for (std::size_t at = 0; at < got.size(); ++at) {
                        const auto row = static_cast<std::int64_t>(at / width) % length;
                        if (row != length - 1) continue;
                        last_differs = last_differs || got[at] != expected[at];
                        got[at] = expected[at];
                    }
                    CHECK(last_differs);
                    CHECK(compare::bits("earlier rows", got, expected,
                                        {{"b", 2}, {"h", 4}, {"t", length}, {"d", dim + 1}}) == "");
                }
            }
        }
    }
}
