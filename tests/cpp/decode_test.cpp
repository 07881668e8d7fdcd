// The KV cache: decoding step by step gives what the full run gives.

#include "attention/decode.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/paths.hpp"

using namespace support;
using attention::KvCache;
using attention::Layout;
using attention::Problem;
using attention::Shape;
using attention::Status;

namespace {

constexpr double rounding = 1e-6;

/// A sequence of `tokens` tokens, token first, so that a step is a run of rows.
HeldProblem sequence(std::int64_t tokens) {
    return in_layout(normal_problem({.query_heads = 6,
                                     .kv_heads = 2,
                                     .queries = tokens,
                                     .keys = tokens,
                                     .head_dim = 5,
                                     .value_dim = 7},
                                    31),
                     Layout::bthd);
}

constexpr std::int64_t q_width = 6 * 5;
constexpr std::int64_t k_width = 2 * 5;
constexpr std::int64_t v_width = 2 * 7;
constexpr std::int64_t output_width = 6 * 7;

std::span<const float> rows(const std::vector<float>& tensor, std::int64_t width, std::int64_t from,
                            std::int64_t count) {
    return std::span<const float>(tensor).subspan(static_cast<std::size_t>(from * width),
                                                  static_cast<std::size_t>(count * width));
}

/// Feeds a sequence to a cache in chunks of the given lengths and gathers the
/// outputs.
std::vector<float> decode(const HeldProblem& run, const std::vector<std::int64_t>& chunks,
                          const Problem& options) {
    KvCache cache(run.shape);
    std::vector<float> all;
    for (const std::int64_t count : chunks) {
        const std::int64_t at = cache.tokens();
        REQUIRE(
            cache.append(rows(run.k, k_width, at, count), rows(run.v, v_width, at, count), count)
                .ok());
        REQUIRE(cache.tokens() == at + count);
        std::vector<float> output(static_cast<std::size_t>(count * output_width),
                                  std::numeric_limits<float>::quiet_NaN());
        const Status status = cache.attend(rows(run.q, q_width, at, count), count, output, options);
        REQUIRE(status.message == "");
        all.insert(all.end(), output.begin(), output.end());
    }
    return all;
}

std::string same(const HeldProblem& run, const std::vector<float>& got,
                 const std::vector<float>& expected) {
    return compare::output(run.problem(), got, compare::widened(expected), rounding);
}

}  // namespace

TEST_CASE("decode: step by step is the full run", "[decode]") {
    const HeldProblem run = sequence(33);
    for (const attention::Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        Problem options;
        options.kernel = kernel;
        CHECK(same(run, decode(run, std::vector<std::int64_t>(33, 1), options),
                   solve(run, kernel)) == "");
    }
}

TEST_CASE("decode: a prompt in chunks, then steps", "[decode]") {
    const HeldProblem run = sequence(33);
    for (const attention::Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        Problem options;
        options.kernel = kernel;
        const std::vector<float> full = solve(run, kernel);
        CHECK(same(run, decode(run, {33}, options), full) == "");
        CHECK(same(run, decode(run, {20, 8, 1, 1, 3}, options), full) == "");
        CHECK(same(run, decode(run, {1, 0, 32}, options), full) == "");
    }
}

TEST_CASE("decode: options are those of the full run", "[decode]") {
    HeldProblem run = sequence(21);
    run.scale = -0.7;
    run.softcap = 2.5;
    run.window = {.left = 4, .right = 0};
    for (const attention::Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        Problem options;
        options.kernel = kernel;
        options.scale = run.scale;
        options.softcap = run.softcap;
        options.mask.window = run.window;
        CHECK(same(run, decode(run, {9, 1, 1, 10}, options), solve(run, kernel)) == "");
    }
}

TEST_CASE("decode: the options' shape, layout and tensors are not read", "[decode]") {
    const HeldProblem run = sequence(5);
    const std::vector<float> junk(3, std::numeric_limits<float>::quiet_NaN());
    Problem options;
    options.shape = {.batch = 9, .query_heads = 7, .kv_heads = 5, .queries = -1};
    options.layout = Layout::bhtd;
    options.q = options.k = options.v = junk;
    CHECK(same(run, decode(run, {3, 2}, options), solve(run, attention::Kernel::automatic)) == "");
}

TEST_CASE("decode: the cache reads no batch, queries or keys from its shape", "[decode]") {
    const HeldProblem run = sequence(4);
    HeldProblem other = run;
    other.shape.batch = 3;
    other.shape.queries = 100;
    other.shape.keys = 200;
    CHECK(decode(other, {2, 2}, {}) == decode(run, {2, 2}, {}));
}

TEST_CASE("decode: an empty cache gives zeros", "[decode]") {
    const HeldProblem run = sequence(1);
    const KvCache cache(run.shape);
    CHECK(cache.tokens() == 0);
    std::vector<float> output(output_width, 7.0F);
    REQUIRE(cache.attend(rows(run.q, q_width, 0, 1), 1, output).ok());
    CHECK(output == std::vector<float>(output_width, 0.0F));
}

TEST_CASE("decode: bad input is named and leaves the cache as it was", "[decode]") {
    const HeldProblem run = sequence(4);
    KvCache cache(run.shape);
    const auto k = rows(run.k, k_width, 0, 2);
    const auto v = rows(run.v, v_width, 0, 2);
    REQUIRE(cache.append(k, v, 2).ok());
    std::vector<float> before(output_width);
    REQUIRE(cache.attend(rows(run.q, q_width, 1, 1), 1, before).ok());

    SECTION("keys that are too many or too few") {
        const Status status = cache.append(rows(run.k, k_width, 0, 3), v, 2);
        CHECK(status.code == attention::Code::wrong_shape);
        CHECK(status.field == "k");
        CHECK(status.message.find("2, 2, 5") != std::string::npos);
        CHECK(status.message.find("30") != std::string::npos);
        CHECK(cache.append(k.first(3), v, 2).field == "k");
    }
    SECTION("values that do not fit, after keys that do") {
        const Status status = cache.append(k, v.first(27), 2);
        CHECK(status.code == attention::Code::wrong_shape);
        CHECK(status.field == "v");
        CHECK(status.message.find("2, 2, 7") != std::string::npos);
        CHECK(status.message.find("27") != std::string::npos);
    }
    SECTION("a negative number of tokens") {
        CHECK_FALSE(cache.append({}, {}, -1).ok());
        CHECK_FALSE(cache.append(k, v, -2).ok());
    }
    SECTION("a query or an output that does not fit") {
        std::vector<float> output(output_width, 7.0F);
        CHECK(cache.attend(rows(run.q, q_width, 0, 2), 1, output).field == "q");
        CHECK(cache.attend(rows(run.q, q_width, 0, 2), 2, output).field == "output");
        CHECK(cache.attend({}, -1, output).field == "queries");
        CHECK(output == std::vector<float>(output_width, 7.0F));
    }
    SECTION("a shape that cannot be") {
        KvCache impossible(Shape{.query_heads = 16, .kv_heads = 5, .head_dim = 1, .value_dim = 1});
        CHECK(impossible.append({}, {}, 0).field == "kvHeads");
        std::vector<float> output(16, 7.0F);
        CHECK(impossible.attend(std::vector<float>(16), 1, output).field == "kvHeads");
        CHECK(impossible.tokens() == 0);
    }
    CHECK(cache.tokens() == 2);
    std::vector<float> after(output_width);
    REQUIRE(cache.attend(rows(run.q, q_width, 1, 1), 1, after).ok());
    CHECK(after == before);
}
