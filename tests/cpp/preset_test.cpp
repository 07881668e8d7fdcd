// preset.hpp: what a worked layer says it does is looked for in its traced weights.

#include "attention/preset.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "attention/fields.hpp"
#include "attention/heads.hpp"

using attention::Code;
using attention::Layer;
using attention::LayerTrace;
using attention::LayerValues;
using attention::Preset;
using attention::Shape;
using attention::Status;

namespace {

Preset named(const std::string& name, std::int64_t tokens, std::int64_t dim,
             std::int64_t model_dim) {
    Preset preset;
    preset.name = name;
    preset.shape = {.queries = tokens, .keys = tokens, .head_dim = dim, .value_dim = dim};
    preset.model_dim = model_dim;
    preset.output_dim = model_dim;
    return preset;
}

LayerValues filled(const Preset& preset) {
    LayerValues values;
    const Status status = attention::fill_layer(preset, values);
    REQUIRE(status.message == "");
    return values;
}

LayerTrace traced(const Preset& preset, const LayerValues& values, bool causal) {
    Layer layer;
    layer.model_dim = preset.model_dim;
    layer.output_dim = preset.output_dim;
    layer.x = values.x;
    layer.context = values.context;
    layer.wq = values.wq;
    layer.wk = values.wk;
    layer.wv = values.wv;
    layer.wo = values.wo;
    layer.attention.shape = preset.shape;
    layer.attention.mask.causal = causal;
    LayerTrace trace;
    REQUIRE(attention::trace_layer(layer, trace).message == "");
    return trace;
}

/// "" if every query that sees a key with looks_at(query, key), of positions, gives
/// all such keys together at least 0.9.
std::string check_weights(const Preset& preset, bool causal,
                          const std::function<bool(std::int64_t, std::int64_t)>& looks_at) {
    const LayerTrace trace = traced(preset, filled(preset), causal);
    const Shape& s = preset.shape;
    std::size_t at = 0;
    for (std::int64_t row = 0; row < s.batch * s.query_heads * s.queries; ++row) {
        const std::int64_t query = s.keys - s.queries + row % s.queries;
        bool any = false;
        double weight = 0;
        for (std::int64_t key = 0; key < s.keys; ++key, ++at) {
            if (!looks_at(query, key) || (causal && key > query)) continue;
            any = true;
            weight += static_cast<double>(trace.attention.weights[at]);
        }
        if (any && !(weight >= 0.9)) {
            return preset.name + ", T " + std::to_string(s.queries) + ", S " +
                   std::to_string(s.keys) + ", D " + std::to_string(s.head_dim) + ", M " +
                   std::to_string(preset.model_dim) + ": the query at " + std::to_string(query) +
                   " of row " + std::to_string(row) + " gives " + std::to_string(weight);
        }
    }
    return "";
}

bool is_previous(std::int64_t query, std::int64_t key) { return key == query - 1; }
bool is_first(std::int64_t /*query*/, std::int64_t key) { return key == 0; }

void check_error(const Preset& preset, Code code, const std::string& field,
                 const std::string& message) {
    LayerValues values;
    values.wq = {7};
    const Status status = attention::fill_layer(preset, values);
    CHECK(status.code == code);
    CHECK(status.field == field);
    CHECK(status.message == message);
    CHECK(values.wq == std::vector<float>{7});
    CHECK(values.x.empty());
}

}  // namespace

TEST_CASE("preset: a query looks at the previous token, or the first", "[preset]") {
    for (const std::int64_t tokens : {1, 2, 3, 5, 6, 7, 16, 33, 64}) {
        for (const std::int64_t dim : {2, 3, 4, 7, 8, 16}) {
            for (const std::int64_t model_dim : {2, 3, 6, 24}) {
                for (const bool causal : {true, false}) {
                    CHECK(check_weights(named("previous-token", tokens, dim, model_dim), causal,
                                        is_previous) == "");
                    CHECK(check_weights(named("first-token", tokens, dim, model_dim), causal,
                                        is_first) == "");
                }
            }
        }
    }
    CHECK(check_weights(named("first-token", 64, 1, 2), true, is_first) == "");
    CHECK(check_weights(named("previous-token", 512, 4, 4), true, is_previous) == "");
    CHECK(check_weights(named("previous-token", 512, 32, 64), false, is_previous) == "");
    CHECK(check_weights(named("first-token", 512, 64, 64), false, is_first) == "");
}

TEST_CASE("preset: in every head and batch item, and with fewer queries or more", "[preset]") {
    for (const char* name : {"previous-token", "first-token"}) {
        const auto looks_at = name == std::string("first-token") ? is_first : is_previous;
        Preset preset = named(name, 6, 4, 5);
        preset.shape.batch = 2;
        preset.shape.query_heads = 6;
        preset.shape.kv_heads = 2;
        preset.shape.value_dim = 3;
        preset.output_dim = 7;
        CHECK(check_weights(preset, true, looks_at) == "");
        for (const std::int64_t queries : {0, 1, 2, 9}) {
            preset.shape.queries = queries;
            CHECK(check_weights(preset, true, looks_at) == "");
            CHECK(check_weights(preset, false, looks_at) == "");
        }
        preset.shape.keys = 0;
        CHECK(check_weights(preset, true, looks_at) == "");
    }
}

TEST_CASE("preset: a query looks at tokens of its own id", "[preset]") {
    std::vector<std::int32_t> ids;
    for (std::int32_t at = 0; at < 70; ++at) {
        // Few different ones, then a new one each time.
        ids.push_back(at < 40 ? (at * at) % 7 - 3 : 1000 * at);
        for (const std::int64_t dim : {2, 3, 4, 16}) {
            const auto tokens = static_cast<std::int64_t>(ids.size());
            Preset preset = named("same-token", tokens, dim, 6);
            preset.token_ids = ids;
            for (const bool causal : {true, false}) {
                CHECK(check_weights(preset, causal, [&](std::int64_t query, std::int64_t key) {
                          return ids[static_cast<std::size_t>(query)] ==
                                 ids[static_cast<std::size_t>(key)];
                      }) == "");
            }
        }
    }
}

TEST_CASE("preset: equal tokens have equal vectors, others not", "[preset]") {
    const std::vector<std::int32_t> ids = {5, -1, 5, 9};
    Preset preset = named("same-token", 4, 4, 4);
    preset.token_ids = ids;
    const LayerValues values = filled(preset);
    const auto row = [&](std::int64_t at) {
        return std::vector<float>(values.x.begin() + 4 * at, values.x.begin() + 4 * at + 4);
    };
    CHECK(row(0) == row(2));
    CHECK(std::set<std::vector<float>>{row(0), row(1), row(3)}.size() == 3);
}

TEST_CASE("preset: the output is the previous token's vector", "[preset]") {
    Preset preset = named("previous-token", 6, 6, 6);
    preset.shape.query_heads = 2;
    preset.shape.kv_heads = 1;
    const LayerValues values = filled(preset);
    const LayerTrace trace = traced(preset, values, true);
    for (std::size_t token = 1; token < 6; ++token) {
        for (std::size_t at = 0; at < 6; ++at) {
            CHECK(std::abs(trace.output[token * 6 + at] - values.x[(token - 1) * 6 + at]) < 0.1);
        }
    }
}

TEST_CASE("preset: the queries' tokens are the last of the keys'", "[preset]") {
    for (const char* name : {"identity", "random", "previous-token", "first-token"}) {
        Preset preset = named(name, 5, 4, 4);
        preset.shape.batch = 2;
        preset.shape.queries = 2;
        const LayerValues values = filled(preset);
        REQUIRE(values.x.size() == 2 * 2 * 4);
        REQUIRE(values.context.size() == 2 * 5 * 4);
        for (std::size_t b = 0; b < 2; ++b) {
            INFO(name << ", batch item " << b);
            CHECK(std::equal(values.x.begin() + static_cast<std::ptrdiff_t>(b * 8),
                             values.x.begin() + static_cast<std::ptrdiff_t>(b * 8 + 8),
                             values.context.begin() + static_cast<std::ptrdiff_t>(b * 20 + 12)));
        }
    }
}

TEST_CASE("preset: identity and zero", "[preset]") {
    Preset preset = named("identity", 3, 2, 3);
    preset.shape.query_heads = 2;
    preset.shape.kv_heads = 1;
    preset.output_dim = 2;
    LayerValues values = filled(preset);
    CHECK(values.x == std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1});
    CHECK(values.context == values.x);
    CHECK(values.wq == std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
    CHECK(values.wk == std::vector<float>{1, 0, 0, 0, 1, 0});
    CHECK(values.wv == values.wk);
    CHECK(values.wo == std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0});
    preset.name = "zero";
    values = filled(preset);
    CHECK(values.x == std::vector<float>(9));
    CHECK(values.wq == std::vector<float>(12));
    CHECK(values.wo == std::vector<float>(8));
}

TEST_CASE("preset: random numbers", "[preset]") {
    Preset preset = named("random", 100, 10, 25);
    preset.shape.batch = 2;
    preset.shape.query_heads = 3;
    preset.shape.kv_heads = 3;
    preset.seed = 7;
    const LayerValues values = filled(preset);
    // [-1, 1) / sqrt(25) to two decimals, and all of it.
    std::set<long> hundredths;
    double sum = 0;
    for (const float value : values.x) {
        hundredths.insert(std::lround(value * 100));
        CHECK(value == static_cast<float>(static_cast<double>(std::lround(value * 100)) / 100));
        sum += static_cast<double>(value);
    }
    CHECK(*hundredths.begin() == -20);
    CHECK(*hundredths.rbegin() == 20);
    CHECK(hundredths.size() == 41);
    // The mean of 5000 numbers of deviation 0.2 / sqrt(3) is within 5 of its deviations.
    CHECK(std::abs(sum / 5000) < 5 * 0.2 / std::sqrt(3.0 * 5000));
    // No two tensors, batch items or seeds are alike.
    const std::size_t half = values.x.size() / 2;
    CHECK(!std::equal(values.x.begin(), values.x.begin() + static_cast<std::ptrdiff_t>(half),
                      values.x.begin() + static_cast<std::ptrdiff_t>(half)));
    CHECK(values.wq != values.wk);
    CHECK(values.wk != values.wv);
    CHECK(filled(preset).wq == values.wq);
    preset.seed = 8;
    CHECK(filled(preset).wq != values.wq);
    // A matrix of a row more keeps its first rows.
    preset.seed = 7;
    preset.shape.query_heads = 6;
    const LayerValues more = filled(preset);
    CHECK(std::equal(values.wq.begin(), values.wq.end(), more.wq.begin()));
}

TEST_CASE("preset: the same bits everywhere", "[preset]") {
    // The Node tests have the same ones; worked out with Python's integers and doubles.
    Preset preset = named("random", 2, 3, 3);
    preset.seed = 1;
    CHECK(filled(preset).wq ==
          std::vector<float>{-0.21F, 0.07F, 0.33F, 0.05F, -0.02F, 0.46F, -0.45F, -0.04F, 0.09F});
    preset = named("previous-token", 6, 3, 3);
    CHECK(filled(preset).wq ==
          std::vector<float>{8.5F, 14.722425F, 0, -14.722425F, 8.5F, 0, 0, 0, 0});
    CHECK(filled(preset).x == std::vector<float>{1, 0, 0, 0.5F, 0.866025F, 0, -0.5F, 0.866025F, 0,
                                                 -1, 0, 0, -0.5F, -0.866025F, 0, 0.5F, -0.866025F,
                                                 0});
}

TEST_CASE("preset: sizes that cannot express it", "[preset]") {
    check_error(named("previous-token", 6, 1, 3), Code::wrong_value, "headDim",
                "headDim must be at least 2 for the preset 'previous-token' of 6 different tokens, "
                "but is 1");
    check_error(named("previous-token", 65, 3, 8), Code::wrong_value, "headDim",
                "headDim must be at least 4 for the preset 'previous-token' of 65 different "
                "tokens, but is 3");
    check_error(named("previous-token", 512, 8, 3), Code::wrong_value, "modelDim",
                "modelDim must be at least 4 for the preset 'previous-token' of 512 different "
                "tokens, but is 3");
    check_error(named("first-token", 6, 1, 1), Code::wrong_value, "modelDim",
                "modelDim must be at least 2 for the preset 'first-token' of 6 different tokens, "
                "but is 1");
    Preset preset = named("same-token", 3, 1, 4);
    const std::vector<std::int32_t> ids = {1, 2, 1};
    preset.token_ids = ids;
    check_error(preset, Code::wrong_value, "headDim",
                "headDim must be at least 2 for the preset 'same-token' of 2 different tokens, but "
                "is 1");
}

TEST_CASE("preset: what does not fit", "[preset]") {
    check_error(named("next-token", 3, 2, 2), Code::wrong_value, "preset",
                "preset must be 'identity', 'zero', 'random', 'previous-token', 'first-token' or "
                "'same-token', but is 'next-token'");
    check_error(named("zero", 3, 0, 2), Code::wrong_value, "headDim",
                "headDim must be a whole number of at least 1 (axis D), but is 0");
    check_error(named("zero", 3, 2, 0), Code::wrong_value, "modelDim",
                "modelDim must be a whole number of at least 1, but is 0");
    Preset preset = named("zero", 3, 2, 2);
    preset.output_dim = 0;
    check_error(preset, Code::wrong_value, "outputDim",
                "outputDim must be a whole number of at least 1, but is 0");
    check_error(named("same-token", 3, 2, 2), Code::missing_field, "tokenIds",
                "The preset 'same-token' needs tokenIds");
    preset = named("same-token", 3, 2, 2);
    const std::vector<std::int32_t> two = {0, 1};
    preset.token_ids = two;
    check_error(preset, Code::wrong_shape, "tokenIds",
                "tokenIds must be [S] = [3], which is 3 values, but has 2, as many as [2]");
    preset = named("same-token", 5000, 2, 2);
    const std::vector<std::int32_t> many(5000, 1);
    preset.token_ids = many;
    check_error(preset, Code::too_large, "tokenIds",
                "The preset 'same-token' compares at most 4096 tokens, but there are 5000");
    check_error(named("zero", 1 << 20, 2, 8), Code::too_large, "",
                "A preset has tensors of at most 4194304 values, but one has 8388608");
    check_error(
        named("zero", INT64_MAX, 2, INT64_MAX), Code::too_large, "",
        "A preset has tensors of at most 4194304 values, but one has " + std::to_string(INT64_MAX));
}

TEST_CASE("preset: the names are those of the table of fields", "[preset]") {
    CHECK(attention::typescript(attention::Input::preset)
              .find("preset: 'identity' | 'zero' | 'random' | 'previous-token' | 'first-token' | "
                    "'same-token';") != std::string::npos);
}
