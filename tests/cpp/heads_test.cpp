// The layer around attention: projections, heads as views, and all together.

#include "attention/heads.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/held_layer.hpp"
#include "support/oracle.hpp"
#include "support/paths.hpp"

using namespace support;
using attention::HeadView;
using attention::Layer;
using attention::LayerTrace;
using attention::Layout;
using attention::Shape;
using attention::Status;

namespace {

constexpr std::int64_t batch = 2;
constexpr std::int64_t tokens = 4;
constexpr std::int64_t heads = 2;
constexpr std::int64_t dim = 4;
constexpr std::int64_t width = heads * dim;

/// Features that say where they belong: 100 * batch + 10 * token + feature.
std::vector<float> labelled_features() {
    std::vector<float> features;
    for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t t = 0; t < tokens; ++t) {
            for (std::int64_t f = 0; f < width; ++f) {
                features.push_back(static_cast<float>(100 * b + 10 * t + f));
            }
        }
    }
    return features;
}

/// The test that a split into heads has to pass: head h of token t holds the
/// features h * D ... (h + 1) * D - 1 of token t.
bool holds_its_features(const HeadView<const float>& view) {
    for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t h = 0; h < heads; ++h) {
            for (std::int64_t t = 0; t < tokens; ++t) {
                for (std::int64_t d = 0; d < dim; ++d) {
                    const auto label = static_cast<float>(100 * b + 10 * t + h * dim + d);
                    if (view.row(b, h, t)[d] != label) return false;
                }
            }
        }
    }
    return true;
}

std::vector<float> merged(const HeadView<const float>& view) {
    const attention::MergedHeads merge = attention::merge_heads(view, dim);
    std::vector<float> features;
    for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t t = 0; t < tokens; ++t) {
            for (std::int64_t f = 0; f < width; ++f) features.push_back(merge.at(b, t, f));
        }
    }
    return features;
}

std::vector<float> run(const Layer& layer) {
    std::vector<float> output(static_cast<std::size_t>(attention::output_size(layer)),
                              std::numeric_limits<float>::quiet_NaN());
    const Status status = attention::attend_layer(layer, output);
    REQUIRE(status.message == "");
    REQUIRE(status.ok());
    return output;
}

/// A stage within twice what plain float32 errs in it, plus 1e-6.
std::string stage(const char* name, const std::vector<float>& got, const std::vector<double>& truth,
                  const std::vector<float>& plain) {
    double error = 0;
    for (std::size_t at = 0; at < truth.size(); ++at) {
        error = std::max(error, std::abs(plain.at(at) - truth[at]));
    }
    return compare::tensors(name, got, truth, 2 * error + 1e-6,
                            {{"at", static_cast<std::int64_t>(truth.size())}});
}

/// A layer on every kernel and in trace_layer() against the oracle's, in float64.
void check_layer(const HeldLayer& held) {
    const auto truth = oracle::evaluate_layer<double>(held.layer());
    const auto plain = oracle::evaluate_layer<float>(held.layer());
    INFO(describe(held.layer().attention));
    for (const attention::Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        CHECK(stage("output", run(held.layer(kernel)), truth.output, plain.output) == "");
    }
    LayerTrace trace;
    REQUIRE(attention::trace_layer(held.layer(), trace).ok());
    CHECK(stage("q", trace.q, truth.q, plain.q) == "");
    CHECK(stage("k", trace.k, truth.k, plain.k) == "");
    CHECK(stage("v", trace.v, truth.v, plain.v) == "");
    CHECK(stage("weights", trace.attention.weights, truth.attention.weights,
                plain.attention.weights) == "");
    CHECK(trace.attention.hidden_by == truth.attention.hidden_by);
    CHECK(stage("heads", trace.attention.output, truth.attention.output, plain.attention.output) ==
          "");
    CHECK(stage("output", trace.output, truth.output, plain.output) == "");
}

}  // namespace

TEST_CASE("heads: head 1 of token 2 holds features 4 to 7 of token 2", "[heads]") {
    const std::vector<float> features = labelled_features();
    const auto view = attention::split_heads(features, tokens, heads, dim);
    const float* row = view.row(0, 1, 2);
    CHECK(std::vector<float>(row, row + dim) == std::vector<float>{24, 25, 26, 27});
    CHECK(holds_its_features(view));
}

TEST_CASE("heads: splitting is a change of strides, not a copy", "[heads]") {
    const std::vector<float> features = labelled_features();
    const auto view = attention::split_heads(features, tokens, heads, dim);
    CHECK(view.data == features.data());
    CHECK(view.row(1, 1, 2) == features.data() + 1 * 32 + 2 * 8 + 4);
}

TEST_CASE("heads: merge(split(x)) is x", "[heads]") {
    const std::vector<float> features = labelled_features();
    CHECK(merged(attention::split_heads(features, tokens, heads, dim)) == features);
    // From heads that lie head by head, too: merging is what transposes them back.
    const auto heads_first =
        change_layout(features, Layout::bthd, Layout::bhtd, batch, heads, tokens, dim);
    CHECK(merged(attention::view_heads(heads_first.data(), Layout::bhtd, heads, tokens, dim)) ==
          features);
}

TEST_CASE("heads: a reshape without the transpose fails the same tests", "[heads]") {
    const std::vector<float> features = labelled_features();
    const auto reshaped = attention::view_heads(features.data(), Layout::bhtd, heads, tokens, dim);
    CHECK_FALSE(holds_its_features(reshaped));
    CHECK(merged(reshaped) != features);
    // Head 1 gets whole tokens: where features 4 to 7 of token 2 belong lies the
    // first half of token 3.
    const float* row = reshaped.row(0, 1, 2);
    CHECK(std::vector<float>(row, row + dim) == std::vector<float>{30, 31, 32, 33});
}

TEST_CASE("heads: project is x W^T with W as [out, in]", "[heads]") {
    const std::vector<float> x = {1, 2, 3, 4, 5, 6};     // [2, 3]
    const std::vector<float> w = {1, 0, 0, 0, 10, 100};  // [2, 3]: x0, and 10 x1 + 100 x2
    std::vector<float> y(4);
    attention::project(x, w, 2, 3, 2, y);
    CHECK(y == std::vector<float>{1, 320, 4, 650});
    // A square one that is not symmetric tells W from its transpose.
    const std::vector<float> turn = {0, 1, 0, 0};
    const std::vector<float> point = {5, 7};
    std::vector<float> turned(2);
    attention::project(point, turn, 1, 2, 2, turned);
    CHECK(turned == std::vector<float>{7, 0});
}

TEST_CASE("heads: a whole layer", "[heads]") {
    SECTION("as many KV heads as query heads") {
        check_layer(random_layer({.query_heads = 4,
                                  .kv_heads = 4,
                                  .queries = 7,
                                  .keys = 7,
                                  .head_dim = 5,
                                  .value_dim = 5},
                                 20, 20, false));
    }
    SECTION("grouped KV heads, other dims for values and output") {
        check_layer(random_layer({.batch = 2,
                                  .query_heads = 6,
                                  .kv_heads = 2,
                                  .queries = 9,
                                  .keys = 9,
                                  .head_dim = 8,
                                  .value_dim = 3},
                                 17, 11, false));
    }
    SECTION("keys and values from a context of another length") {
        HeldLayer held = random_layer({.batch = 2,
                                       .query_heads = 4,
                                       .kv_heads = 2,
                                       .queries = 5,
                                       .keys = 12,
                                       .head_dim = 6,
                                       .value_dim = 6},
                                      10, 10, true);
        check_layer(held);
        held.attention.causal = false;
        check_layer(held);
    }
    SECTION("mask, window, bias, scale and softcap reach the attention in it") {
        HeldLayer held = random_layer({.batch = 2,
                                       .query_heads = 4,
                                       .kv_heads = 1,
                                       .queries = 6,
                                       .keys = 6,
                                       .head_dim = 4,
                                       .value_dim = 4},
                                      8, 8, false);
        held.attention.window = {.left = 2, .right = 0};
        held.attention.scale = 0.9;
        held.attention.softcap = 1.5;
        held.attention.allowed = {{1, 1, 0, 1, 1, 1}, {6}};
        held.attention.bias = {{0.5F, 0, -1, 2, 0, 1}, {6}};
        check_layer(held);
    }
    SECTION("positions") {
        HeldLayer held = random_layer({.batch = 2,
                                       .query_heads = 2,
                                       .kv_heads = 2,
                                       .queries = 5,
                                       .keys = 5,
                                       .head_dim = 4,
                                       .value_dim = 4},
                                      8, 8, false);
        held.attention.query_positions = {0, 1, 2, 3, 4, -2, -1, 0, 1, 2};
        held.attention.key_positions = {0, 1, 2, 3, 4, 9, 9, 0, 1, 2};
        check_layer(held);
    }
}

TEST_CASE("heads: in a causal layer the last token changes no earlier one, bit for bit",
          "[heads]") {
    HeldLayer before = random_layer(
        {.query_heads = 4, .kv_heads = 2, .queries = 19, .keys = 19, .head_dim = 8, .value_dim = 8},
        32, 32, false);
    HeldLayer after = before;
    for (std::size_t at = 18 * 32; at < after.x.size(); ++at) after.x[at] += 3.0F;
    for (const attention::Kernel kernel : kernels) {
        INFO("kernel " << attention::name(kernel));
        std::vector<float> was = run(before.layer(kernel));
        std::vector<float> is = run(after.layer(kernel));
        CHECK(was != is);
        was.resize(18 * 32);
        is.resize(18 * 32);
        CHECK(compare::bits("output", is, was, {{"t", 18}, {"n", 32}}) == "");
    }
}

TEST_CASE("heads: each bad field of a layer is named, and nothing is written", "[heads]") {
    const HeldLayer good = random_layer({.batch = 2,
                                         .query_heads = 4,
                                         .kv_heads = 2,
                                         .queries = 3,
                                         .keys = 3,
                                         .head_dim = 5,
                                         .value_dim = 6},
                                        7, 9, false);
    struct Row {
        const char* field;
        attention::Code code;
        std::vector<const char*> fragments;
        void (*spoil)(HeldLayer&);
    };
    using attention::Code;
    const Row rows[] = {
        {"x", Code::wrong_shape, {"2, 3, 7", "42", "41"}, [](HeldLayer& l) { l.x.pop_back(); }},
        {"wq", Code::wrong_shape, {"20, 7", "140", "139"}, [](HeldLayer& l) { l.wq.pop_back(); }},
        {"wk", Code::wrong_shape, {"10, 7", "70", "140"}, [](HeldLayer& l) { l.wk = l.wq; }},
        {"wv", Code::wrong_shape, {"12, 7", "84", "0"}, [](HeldLayer& l) { l.wv.clear(); }},
        {"wo", Code::wrong_shape, {"9, 24", "216", "217"}, [](HeldLayer& l) { l.wo.push_back(0); }},
        {"context",
         Code::wrong_shape,
         {"2, 3, 7", "42", "5"},
         [](HeldLayer& l) { l.context = std::vector<float>(5); }},
        {"modelDim", Code::wrong_value, {"0"}, [](HeldLayer& l) { l.model_dim = 0; }},
        {"outputDim", Code::wrong_value, {"-1"}, [](HeldLayer& l) { l.output_dim = -1; }},
        {"keys", Code::wrong_value, {"4"}, [](HeldLayer& l) { l.attention.shape.keys = 4; }},
        {"kvHeads",
         Code::wrong_value,
         {"4", "3"},
         [](HeldLayer& l) { l.attention.shape.kv_heads = 3; }},
        {"scale",
         Code::wrong_value,
         {"NaN"},
         [](HeldLayer& l) { l.attention.scale = std::numeric_limits<double>::quiet_NaN(); }},
        {"allowed",
         Code::wrong_shape,
         {"2"},
         [](HeldLayer& l) { l.attention.allowed = {{1, 1}, {}}; }},
    };
    for (const Row& row : rows) {
        HeldLayer bad = good;
        row.spoil(bad);
        std::vector<float> output(2 * 3 * 9, 7.0F);
        const Status status = attention::attend_layer(bad.layer(), output);
        INFO("field " << row.field << ", message: " << status.message);
        CHECK(status.field == row.field);
        CHECK(status.code == row.code);
        for (const char* fragment : row.fragments) {
            CHECK(status.message.find(fragment) != std::string::npos);
        }
        CHECK(output == std::vector<float>(2 * 3 * 9, 7.0F));

        LayerTrace trace;
        trace.q = {7};
        trace.attention.weights = {8};
        const Status of_trace = attention::trace_layer(bad.layer(), trace);
        CHECK(of_trace.message == status.message);
        CHECK(trace.q == std::vector<float>{7});
        CHECK(trace.attention.weights == std::vector<float>{8});
        CHECK(attention::validate(bad.layer()).message == status.message);
        CHECK(attention::validate(good.layer()).ok());
        CHECK(run(good.layer()).size() == 2 * 3 * 9);
    }
    std::vector<float> short_output(10, 7.0F);
    const Status status = attention::attend_layer(good.layer(), short_output);
    CHECK(status.field == "output");
    CHECK(status.code == attention::Code::wrong_shape);
    CHECK(short_output == std::vector<float>(10, 7.0F));
}
