// Visibility goes by position: one rule for training, cached decoding, chunked
// prefill and ragged batches.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/paths.hpp"

using namespace support;
using attention::Shape;

namespace {

constexpr std::int64_t heads = 4;
constexpr std::int64_t kv_heads = 2;
constexpr std::int64_t dim = 8;
constexpr double rounding = 1e-6;

HeldProblem full_run(std::int64_t tokens) {
    return normal_problem({.query_heads = heads,
                           .kv_heads = kv_heads,
                           .queries = tokens,
                           .keys = tokens,
                           .head_dim = dim,
                           .value_dim = dim},
                          58);
}

/// Rows [from, to) of each head of a tensor [heads, rows, dim].
std::vector<float> rows_of(const std::vector<float>& tensor, std::int64_t head_count,
                           std::int64_t from, std::int64_t to) {
    const std::int64_t rows = static_cast<std::int64_t>(tensor.size()) / (head_count * dim);
    std::vector<float> part;
    for (std::int64_t head = 0; head < head_count; ++head) {
        const auto start = tensor.begin() + head * rows * dim;
        part.insert(part.end(), start + from * dim, start + to * dim);
    }
    return part;
}

/// Queries [from, to) of a run against its keys [0, keys).
HeldProblem chunk_of(const HeldProblem& run, std::int64_t from, std::int64_t to,
                     std::int64_t keys) {
    HeldProblem chunk = run;
    chunk.shape.queries = to - from;
    chunk.shape.keys = keys;
    chunk.q = rows_of(run.q, heads, from, to);
    chunk.k = rows_of(run.k, kv_heads, 0, keys);
    chunk.v = rows_of(run.v, kv_heads, 0, keys);
    return chunk;
}

std::vector<std::int32_t> run_of_positions(std::int64_t from, std::int64_t to) {
    std::vector<std::int32_t> positions;
    for (std::int64_t at = from; at < to; ++at) {
        positions.push_back(static_cast<std::int32_t>(at));
    }
    return positions;
}

std::string same(const HeldProblem& held, const std::vector<float>& got,
                 const std::vector<float>& expected) {
    return compare::output(held.problem(), got, compare::widened(expected), rounding);
}

void expect(const HeldProblem& held, const std::vector<double>& right) {
    on_every_path(held, [&](const std::vector<float>& output) {
        CHECK(compare::tensors("output", output, right, rounding * 16,
                               {{"t", held.shape.queries}}) == "");
    });
}

}  // namespace

TEST_CASE("positions: one query at 57 against 58 keys is row 57 of the full run", "[positions]") {
    const HeldProblem run = full_run(58);
    HeldProblem step = chunk_of(run, 57, 58, 58);
    for (const bool stated : {false, true}) {
        if (stated) step.query_positions = {57};
        for (const attention::Kernel kernel : kernels) {
            INFO("kernel " << attention::name(kernel) << ", positions stated: " << stated);
            CHECK(same(step, solve(step, kernel), rows_of(solve(run, kernel), heads, 57, 58)) ==
                  "");
        }
    }
}

TEST_CASE("positions: queries 40 to 47 against keys 0 to 47 are rows 40 to 47", "[positions]") {
    const HeldProblem run = full_run(58);
    HeldProblem chunk = chunk_of(run, 40, 48, 48);
    for (const attention::Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        const std::vector<float> rows = rows_of(solve(run, kernel), heads, 40, 48);
        chunk.query_positions.reset();
        CHECK(same(chunk, solve(chunk, kernel), rows) == "");
        chunk.query_positions = run_of_positions(40, 48);
        CHECK(same(chunk, solve(chunk, kernel), rows) == "");
        // The square triangle of an 8-query block is another answer, row by row.
        chunk.query_positions = run_of_positions(0, 8);
        const std::vector<float> square = solve(chunk, kernel);
        for (std::int64_t row = 0; row < 8; ++row) {
            const auto wrong = rows_of(square, heads, row, row + 1);
            const auto right = rows_of(rows, heads, row, row + 1);
            double most = 0;
            for (std::size_t at = 0; at < wrong.size(); ++at) {
                most = std::max(most, std::abs(static_cast<double>(wrong[at]) - right[at]));
            }
            INFO("row " << row);
            CHECK(most > 0.05);
        }
    }
}

TEST_CASE("positions: a sequence shifted as a whole gives the same", "[positions]") {
    const HeldProblem run = full_run(20);
    for (const std::int64_t shift : {-1'000'000, -5, 7, 2'000'000'000}) {
        HeldProblem shifted = run;
        shifted.query_positions = run_of_positions(shift, shift + 20);
        shifted.key_positions = run_of_positions(shift, shift + 20);
        for (const attention::Kernel kernel : kernels) {
            INFO("kernel " << attention::name(kernel) << ", shift " << shift);
            CHECK(same(run, solve(shifted, kernel), solve(run, kernel)) == "");
        }
    }
}

TEST_CASE("positions: reordering the keys with their positions changes nothing", "[positions]") {
    const HeldProblem run = full_run(37);
    HeldProblem reordered = run;
    reordered.key_positions.emplace();
    std::vector<std::size_t> order(37);
    for (std::size_t at = 0; at < 37; ++at) order[at] = at * 10 % 37;
    for (const std::size_t from : order) {
        reordered.key_positions->push_back(static_cast<std::int32_t>(from));
    }
    const auto reorder = [&](const std::vector<float>& tensor) {
        std::vector<float> moved;
        for (std::size_t head = 0; head < kv_heads; ++head) {
            for (const std::size_t from : order) {
                const auto row = tensor.begin() + static_cast<long>((head * 37 + from) * dim);
                moved.insert(moved.end(), row, row + dim);
            }
        }
        return moved;
    };
    reordered.k = reorder(run.k);
    reordered.v = reorder(run.v);
    for (const attention::Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        CHECK(same(run, solve(reordered, kernel), solve(run, kernel)) == "");
    }
}

TEST_CASE("positions: a ragged batch equals its sequences alone", "[positions]") {
    // Sequences of 12, 5 and 9 tokens, each padded on the right to 12 keys; a
    // chunk of the last 4 tokens of each asks.
    const std::vector<std::int64_t> lengths = {12, 5, 9};
    constexpr std::int64_t keys = 12;
    constexpr std::int64_t queries = 4;
    const HeldProblem source = full_run(keys);
    HeldProblem batch;
    batch.shape = {.batch = 3,
                   .query_heads = heads,
                   .kv_heads = kv_heads,
                   .queries = queries,
                   .keys = keys,
                   .head_dim = dim,
                   .value_dim = dim};
    batch.query_positions.emplace();
    batch.key_positions.emplace();
    std::vector<HeldProblem> alone;
    for (const std::int64_t length : lengths) {
        alone.push_back(chunk_of(source, length - queries, length, length));
        batch.q.insert(batch.q.end(), alone.back().q.begin(), alone.back().q.end());
        // The padding holds the source's later tokens: visible, they would show.
        batch.k.insert(batch.k.end(), source.k.begin(), source.k.end());
        batch.v.insert(batch.v.end(), source.v.begin(), source.v.end());
        for (std::int64_t at = length - queries; at < length; ++at) {
            batch.query_positions->push_back(static_cast<std::int32_t>(at));
        }
        for (std::int64_t at = 0; at < keys; ++at) {
            batch.key_positions->push_back(static_cast<std::int32_t>(at));
        }
    }
    for (const bool key_positions_too : {true, false}) {
        if (!key_positions_too) batch.key_positions.reset();
        on_every_path(batch, [&](const std::vector<float>& output) {
            const std::size_t item = output.size() / 3;
            for (std::size_t b = 0; b < 3; ++b) {
                const auto start = output.begin() + static_cast<long>(b * item);
                const std::vector<float> got(start, start + static_cast<long>(item));
                INFO("sequence " << b);
                CHECK(same(alone[b], got, solve(alone[b], attention::Kernel::reference)) == "");
            }
        });
    }
}

TEST_CASE("positions: one row of positions serves all batch items", "[positions]") {
    HeldProblem held =
        normal_problem({.batch = 3, .queries = 4, .keys = 6, .head_dim = 5, .value_dim = 5}, 12);
    held.query_positions = {0, 5, 2, 3};
    held.key_positions = {3, 1, 0, 2, 5, 4};
    HeldProblem repeated = held;
    for (int more = 0; more < 2; ++more) {
        repeated.query_positions->insert(repeated.query_positions->end(), {0, 5, 2, 3});
        repeated.key_positions->insert(repeated.key_positions->end(), {3, 1, 0, 2, 5, 4});
    }
    for (const attention::Kernel kernel : kernels) {
        CHECK(compare::bits("output", solve(held, kernel), solve(repeated, kernel),
                            compare::output_axes(held.problem())) == "");
    }
}

TEST_CASE("positions: with more queries than keys the first see nothing", "[positions]") {
    HeldProblem held = mean_problem(5, {1, 3});
    expect(held, {0, 0, 0, 1, 2});
    on_every_path(held, [](const std::vector<float>& output) {
        CHECK(std::vector<float>(output.begin(), output.begin() + 3) == std::vector<float>(3));
    });
    // Row for row the last two queries are the run of two.
    const HeldProblem run = full_run(7);
    HeldProblem more = chunk_of(run, 0, 7, 3);
    for (const attention::Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        const auto output = solve(more, kernel);
        const auto last = rows_of(output, heads, 4, 7);
        const HeldProblem three = chunk_of(run, 4, 7, 3);
        CHECK(same(three, last, solve(three, kernel)) == "");
        for (const float value : rows_of(output, heads, 0, 4)) CHECK(value == 0.0F);
    }
    held.causal = false;  // without the causal rule positions hide nothing
    expect(held, {2, 2, 2, 2, 2});
}

TEST_CASE("positions: windows go by position too", "[positions]") {
    HeldProblem held = mean_problem(2, {1, 2, 4, 8, 16});
    held.causal = false;
    held.query_positions = {10, 40};
    held.key_positions = {0, 10, 20, 30, 40};
    held.window = {.left = 10, .right = 0};
    expect(held, {1.5, 12});
    held.window = {.left = 9, .right = 10};
    on_every_path(
        held, [](const std::vector<float>& output) { CHECK(output == std::vector<float>{3, 16}); });
    held.window = {.left = std::nullopt, .right = 9};
    expect(held, {1.5, 6.2});
}
