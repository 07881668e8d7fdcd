// inspect(): the record behind every cell of a layer, against what trace_layer()
// gives for it, bit for bit, and its arithmetic done again from its own numbers.

#include "attention/inspect.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/held_layer.hpp"

using namespace support;
using attention::CellIndex;
using attention::Cells;
using attention::Code;
using attention::Layer;
using attention::LayerTrace;
using attention::Operation;
using attention::Record;
using attention::Shape;
using attention::Stage;
using attention::Status;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Stage all_stages[] = {
    Stage::x,      Stage::context, Stage::wq,    Stage::wk,     Stage::wv,     Stage::wo,
    Stage::q,      Stage::k,       Stage::v,     Stage::dots,   Stage::scores, Stage::capped,
    Stage::masked, Stage::weights, Stage::mixed, Stage::merged, Stage::output};

bool same(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

/// The numbers of a stage as trace_layer() or the caller has them, and where the
/// cell of an index lies among them.
struct Place {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
    std::span<const float> values;

    float at(const CellIndex& index) const {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
            REQUIRE(index[axis] >= 0);
            REQUIRE(index[axis] < sizes[axis]);
            offset += index[axis] * strides[axis];
        }
        return values[static_cast<std::size_t>(offset)];
    }
};

Place place_of(Stage stage, const Layer& layer, const LayerTrace& trace) {
    const Shape& s = layer.attention.shape;
    const std::int64_t m = layer.model_dim;
    const auto rows = [](std::span<const float> values, std::vector<std::int64_t> sizes) {
        std::vector<std::int64_t> strides(sizes.size(), 1);
        for (std::size_t axis = sizes.size() - 1; axis-- > 0;) {
            strides[axis] = strides[axis + 1] * sizes[axis + 1];
        }
        return Place{std::move(sizes), strides, values};
    };
    const auto heads = [&](std::span<const float> values, std::int64_t count, std::int64_t tokens,
                           std::int64_t dim) {
        return Place{
            {s.batch, count, tokens, dim}, {tokens * count * dim, dim, count * dim, 1}, values};
    };
    const auto pairs = [&](std::span<const float> values) {
        return rows(values, {s.batch, s.query_heads, s.queries, s.keys});
    };
    switch (stage) {
        case Stage::x: return rows(layer.x, {s.batch, s.queries, m});
        case Stage::context: return rows(layer.context.value(), {s.batch, s.keys, m});
        case Stage::wq: return rows(layer.wq, {s.query_heads * s.head_dim, m});
        case Stage::wk: return rows(layer.wk, {s.kv_heads * s.head_dim, m});
        case Stage::wv: return rows(layer.wv, {s.kv_heads * s.value_dim, m});
        case Stage::wo: return rows(layer.wo, {layer.output_dim, s.query_heads * s.value_dim});
        case Stage::q: return heads(trace.q, s.query_heads, s.queries, s.head_dim);
        case Stage::k: return heads(trace.k, s.kv_heads, s.keys, s.head_dim);
        case Stage::v: return heads(trace.v, s.kv_heads, s.keys, s.value_dim);
        case Stage::dots: return pairs(trace.attention.dots);
        case Stage::scores: return pairs(trace.attention.scores);
        case Stage::capped: return pairs(trace.attention.capped);
        case Stage::masked: return pairs(trace.attention.masked);
        case Stage::weights: return pairs(trace.attention.weights);
        case Stage::mixed:
            return heads(trace.attention.output, s.query_heads, s.queries, s.value_dim);
        case Stage::merged:
            return rows(trace.attention.output, {s.batch, s.queries, s.query_heads * s.value_dim});
        case Stage::output: return rows(trace.output, {s.batch, s.queries, layer.output_dim});
    }
    return {};
}

std::vector<CellIndex> cells_of(const Place& place) {
    std::vector<CellIndex> cells = {{}};
    for (std::size_t axis = 0; axis < place.sizes.size(); ++axis) {
        std::vector<CellIndex> longer;
        for (const CellIndex& cell : cells) {
            for (std::int64_t at = 0; at < place.sizes[axis]; ++at) {
                longer.push_back(cell);
                longer.back()[axis] = at;
            }
        }
        cells = std::move(longer);
    }
    return cells;
}

CellIndex nth(const Cells& cells, std::int64_t n) {
    CellIndex index = cells.first;
    index[static_cast<std::size_t>(cells.axis)] += n;
    return index;
}

/// What is wrong with a record; "" if nothing is.
class Checker {
public:
    Checker(const Layer& layer, const LayerTrace& trace) : layer_(layer), trace_(trace) {}

    std::string check(Stage stage, const CellIndex& index, const Record& record) {
        wrong_.str("");
        value("value", record.value, traced(stage, index));
        switch (stage) {
            case Stage::x:
            case Stage::context:
            case Stage::wq:
            case Stage::wk:
            case Stage::wv:
            case Stage::wo: expect(record, Operation::given, {}); break;
            case Stage::q: sum(record, Operation::projection, {Stage::x, Stage::wq}); break;
            case Stage::k: sum(record, Operation::projection, {tokens_of_keys(), Stage::wk}); break;
            case Stage::v: sum(record, Operation::projection, {tokens_of_keys(), Stage::wv}); break;
            case Stage::dots: sum(record, Operation::dot, {Stage::q, Stage::k}); break;
            case Stage::scores: expect(record, Operation::scale, {Stage::dots}); break;
            case Stage::capped: expect(record, Operation::softcap, {Stage::scores}); break;
            case Stage::masked: expect(record, Operation::mask, {Stage::capped}); break;
            case Stage::weights: expect(record, Operation::softmax, {Stage::masked}); break;
            case Stage::mixed: sum(record, Operation::mix, {Stage::weights, Stage::v}); break;
            case Stage::merged:
                expect(record, Operation::merge, {Stage::mixed});
                value("source", record.value, traced(Stage::mixed, record.sources[0].first));
                break;
            case Stage::output: sum(record, Operation::projection, {Stage::merged, Stage::wo});
        }
        const bool is_pair = stage >= Stage::dots && stage <= Stage::weights;
        if (record.pair.has_value() != is_pair) wrong_ << "pair where there is none; ";
        if (is_pair && record.pair) pair(stage, index, record);
        if (wrong_.str().empty()) return "";
        std::ostringstream where;
        where << name(stage) << " [" << index[0] << ", " << index[1] << ", " << index[2] << ", "
              << index[3] << "]: " << wrong_.str();
        return where.str();
    }

private:
    float traced(Stage stage, const CellIndex& index) const {
        return place_of(stage, layer_, trace_).at(index);
    }

    Stage tokens_of_keys() const { return layer_.context ? Stage::context : Stage::x; }

    void value(const char* what, float got, float expected) {
        if (!same(got, expected)) {
            wrong_ << what << " is " << got << ", expected " << expected << "; ";
        }
    }

    void expect(const Record& record, Operation operation, const std::vector<Stage>& sources) {
        if (record.operation != operation) wrong_ << "operation " << name(record.operation) << "; ";
        std::vector<Stage> got;
        for (std::size_t at = 0; at < record.source_count; ++at) {
            got.push_back(record.sources[at].stage);
        }
        if (got != sources) wrong_ << "sources of other stages; ";
    }

    void terms(const Record& record) {
        const attention::Terms& t = record.terms;
        const auto count = static_cast<std::size_t>(t.left.count);
        REQUIRE(t.right.count == t.left.count);
        REQUIRE(t.left_values.size() == count);
        REQUIRE(t.right_values.size() == count);
        REQUIRE(t.products.size() == count);
        REQUIRE(t.sums.size() == count);
        REQUIRE(t.counted.size() == count);
        float so_far = 0.0F;
        for (std::size_t at = 0; at < count; ++at) {
            const auto n = static_cast<std::int64_t>(at);
            value("left", t.left_values[at], traced(t.left.stage, nth(t.left, n)));
            value("right", t.right_values[at], traced(t.right.stage, nth(t.right, n)));
            const float product = t.counted[at] ? t.left_values[at] * t.right_values[at] : 0.0F;
            value("product", t.products[at], product);
            if (t.counted[at]) so_far += product;
            value("sum", t.sums[at], so_far);
        }
    }

    void sum(const Record& record, Operation operation, const std::vector<Stage>& sources) {
        expect(record, operation, sources);
        terms(record);
        const attention::Terms& t = record.terms;
        value("last sum", t.sums.empty() ? 0.0F : t.sums.back(), record.value);
        for (std::size_t at = 0; at < t.counted.size(); ++at) {
            const bool hidden =
                t.left.stage == Stage::weights &&
                traced(Stage::masked, nth(t.left, static_cast<std::int64_t>(at))) == -infinity;
            if ((t.counted[at] == 0) != hidden) wrong_ << "term " << at << " counted wrongly; ";
        }
    }

    void pair(Stage stage, const CellIndex& index, const Record& record) {
        const attention::Pair& p = *record.pair;
        const Shape& s = layer_.attention.shape;
        const auto row =
            static_cast<std::size_t>((index[0] * s.query_heads + index[1]) * s.queries + index[2]);
        const auto at = row * static_cast<std::size_t>(s.keys) + static_cast<std::size_t>(index[3]);
        value("dot", p.dot, trace_.attention.dots[at]);
        value("score", p.score, trace_.attention.scores[at]);
        value("capped", p.capped, trace_.attention.capped[at]);
        value("masked", p.masked, trace_.attention.masked[at]);
        value("weight", p.weight, trace_.attention.weights[at]);
        value("row max", p.row_max, trace_.attention.row_max[row]);
        value("row sum", p.row_sum, trace_.attention.row_sum[row]);
        if (p.hidden_by != trace_.attention.hidden_by[at]) wrong_ << "hidden by others; ";
        // The chain again, from the record's own numbers.
        terms(record);
        value("dot of terms", record.terms.sums.back(), p.dot);
        value("scale * dot", p.score, p.scale * p.dot);
        value("softcap", p.capped,
              p.softcap == 0.0F ? p.score : p.softcap * std::tanh(p.score / p.softcap));
        value("bias", p.masked, p.hidden_by ? -infinity : p.capped + p.bias);
        value("exponential", p.exponential,
              p.masked == -infinity ? 0.0F : std::exp(p.masked - p.row_max));
        float sum = 0.0F;
        for (std::size_t key = 0; key < p.exponentials.size(); ++key) {
            const float masked = trace_.attention.masked[row * p.exponentials.size() + key];
            const float power = masked == -infinity ? 0.0F : std::exp(masked - p.row_max);
            value("exponential of the row", p.exponentials[key], power);
            value("sum so far", p.exponential_sums[key], sum += power);
        }
        value("sum of the row", p.exponential_sums.back(), p.row_sum);
        value("quotient", p.weight, p.masked == -infinity ? 0.0F : p.exponential / p.row_sum);
        if (p.kv_head != index[1] / (s.query_heads / s.kv_heads)) wrong_ << "another KV head; ";
        const auto& mask = layer_.attention.mask;
        const auto given = [&](const auto& positions, std::int64_t count, std::int64_t of,
                               std::int64_t otherwise) {
            if (!positions) return otherwise;
            const bool per_batch = static_cast<std::int64_t>(positions->size()) != count;
            return static_cast<std::int64_t>((*positions)[per_batch ? index[0] * count + of : of]);
        };
        if (p.query_position !=
            given(mask.query_positions, s.queries, index[2], s.keys - s.queries + index[2])) {
            wrong_ << "query at " << p.query_position << "; ";
        }
        if (p.key_position != given(mask.key_positions, s.keys, index[3], index[3])) {
            wrong_ << "key at " << p.key_position << "; ";
        }
        // Its sources: the cell before, or the row that the softmax goes over.
        if (stage == Stage::dots) return;
        const Cells& source = record.sources[0];
        CellIndex first = index;
        if (stage == Stage::weights) first[3] = 0;
        if (source.first != first || source.axis != 3 ||
            source.count != (stage == Stage::weights ? s.keys : 1)) {
            wrong_ << "another source; ";
        }
    }

    const Layer& layer_;
    const LayerTrace& trace_;
    std::ostringstream wrong_;
};

/// Every cell of every stage.
void check_all(const HeldLayer& held) {
    const Layer layer = held.layer();
    LayerTrace trace;
    REQUIRE(attention::trace_layer(layer, trace).message == "");
    Checker checker(layer, trace);
    INFO(describe(layer.attention));
    std::int64_t cells = 0;
    for (const Stage stage : all_stages) {
        if (stage == Stage::context && !layer.context) continue;
        for (const CellIndex& index : cells_of(place_of(stage, layer, trace))) {
            Record record;
            const Status status = attention::inspect(
                layer, stage,
                std::span(index).first(static_cast<std::size_t>(attention::axes_of(stage))),
                record);
            REQUIRE(status.message == "");
            CHECK(checker.check(stage, index, record) == "");
            ++cells;
        }
    }
    CHECK(cells > 0);
}

HeldLayer grouped() {
    return random_layer({.batch = 2,
                         .query_heads = 6,
                         .kv_heads = 2,
                         .queries = 4,
                         .keys = 4,
                         .head_dim = 3,
                         .value_dim = 2},
                        5, 7, false);
}

}  // namespace

TEST_CASE("inspect: every cell of a layer with grouped heads", "[inspect]") {
    HeldLayer held = grouped();
    SECTION("causal") { check_all(held); }
    SECTION("not causal") {
        held.attention.causal = false;
        check_all(held);
    }
    SECTION("window, scale, softcap, bias and a mask that hides a whole row") {
        held.attention.window = {.left = 1, .right = 0};
        held.attention.scale = -0.7;
        held.attention.softcap = 1.25;
        held.attention.bias = {{0.5F, 0, -1, -infinity}, {4}};
        held.attention.allowed = {{1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1}, {4, 4}};
        check_all(held);
    }
    SECTION("masks and biases that differ by batch item and head") {
        held.attention.allowed = {{1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0}, {2, 6, 1, 1}};
        held.attention.bias = {std::vector<float>(2 * 6 * 4, 0.25F), {2, 6, 4, 1}};
        held.attention.bias->values[9] = -infinity;
        check_all(held);
    }
    SECTION("positions by batch item, with queries that see nothing") {
        held.attention.query_positions = {0, 1, 2, 3, -2, -1, 0, 1};
        held.attention.key_positions = {3, 0, 1, 2, 9, 9, 0, 1};
        check_all(held);
    }
}

TEST_CASE("inspect: keys and values from a context", "[inspect]") {
    HeldLayer held = random_layer({.batch = 2,
                                   .query_heads = 4,
                                   .kv_heads = 1,
                                   .queries = 3,
                                   .keys = 5,
                                   .head_dim = 2,
                                   .value_dim = 3},
                                  4, 2, true);
    SECTION("longer than x") { check_all(held); }
    SECTION("empty: the mix is a sum without terms") {
        held.attention.shape.keys = 0;
        held.context->clear();
        check_all(held);
    }
    SECTION("NaN and infinity at hidden and at visible keys") {
        held.context->at(4 * 4) = std::numeric_limits<float>::quiet_NaN();
        held.context->at(3 * 4 + 1) = infinity;
        check_all(held);
    }
}

TEST_CASE("inspect: one head, whose output has more features than it", "[inspect]") {
    check_all(random_layer({.queries = 3, .keys = 3, .head_dim = 2, .value_dim = 2}, 4, 5, false));
}

TEST_CASE("inspect: one token of one feature", "[inspect]") {
    check_all(random_layer({.queries = 1, .keys = 1, .head_dim = 1, .value_dim = 1}, 1, 1, false));
}

TEST_CASE("inspect: cells of 512 tokens and 8 heads", "[inspect]") {
    const HeldLayer held = random_layer({.query_heads = 8,
                                         .kv_heads = 8,
                                         .queries = 512,
                                         .keys = 512,
                                         .head_dim = 8,
                                         .value_dim = 8},
                                        64, 64, false);
    const Layer layer = held.layer();
    LayerTrace trace;
    REQUIRE(attention::trace_layer(layer, trace).ok());
    Checker checker(layer, trace);
    const struct {
        Stage stage;
        CellIndex index;
    } cells[] = {{Stage::weights, {0, 7, 511, 3}},
                 {Stage::masked, {0, 2, 100, 101}},
                 {Stage::mixed, {0, 5, 400, 7}},
                 {Stage::merged, {0, 77, 63}},
                 {Stage::output, {0, 511, 63}}};
    for (const auto& [stage, index] : cells) {
        Record record;
        REQUIRE(attention::inspect(
                    layer, stage,
                    std::span(index).first(static_cast<std::size_t>(attention::axes_of(stage))),
                    record)
                    .ok());
        CHECK(checker.check(stage, index, record) == "");
    }
}

TEST_CASE("inspect: the worked example's card", "[inspect]") {
    // "journey" looks at "Your": 0.9544, and the exponentials of its row.
    HeldLayer held;
    held.attention.shape = {.queries = 2, .keys = 2, .head_dim = 3, .value_dim = 3};
    held.attention.scale = 1.0;
    held.model_dim = 3;
    held.output_dim = 3;
    held.x = {0.43F, 0.15F, 0.89F, 0.55F, 0.87F, 0.66F};
    held.wq = held.wk = held.wv = held.wo = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    Record record;
    const std::vector<std::int64_t> index = {0, 0, 1, 0};
    REQUIRE(attention::inspect(held.layer(), Stage::weights, index, record).ok());
    const attention::Terms& terms = record.terms;
    CHECK(terms.left_values == std::vector<float>{0.55F, 0.87F, 0.66F});
    CHECK(terms.right_values == std::vector<float>{0.43F, 0.15F, 0.89F});
    CHECK(std::abs(terms.products[0] - 0.2365) < 1e-6);
    CHECK(std::abs(terms.products[1] - 0.1305) < 1e-6);
    CHECK(std::abs(terms.products[2] - 0.5874) < 1e-6);
    CHECK(std::abs(record.pair.value().score - 0.9544) < 1e-6);
    CHECK(std::abs(record.pair.value().row_max - 1.495) < 1e-6);
    CHECK(std::abs(record.pair.value().exponential - std::exp(-0.5406)) < 1e-6);
    CHECK(record.pair.value().exponentials ==
          std::vector<float>{record.pair.value().exponential, 1.0F});
    CHECK(std::abs(record.value - 0.36806) < 1e-4);
}

TEST_CASE("inspect: stages and operations by name", "[inspect]") {
    for (const Stage stage : all_stages) {
        Stage found = stage == Stage::x ? Stage::output : Stage::x;
        CHECK(attention::stage_by_name(name(stage), found).ok());
        CHECK(found == stage);
    }
    Stage stage = Stage::k;
    const Status status = attention::stage_by_name("attention", stage);
    CHECK(status.code == Code::wrong_value);
    CHECK(status.field == "stage");
    CHECK(status.message.find("'x', 'context', 'wq'") != std::string::npos);
    CHECK(status.message.find("'merged' or 'output', but is 'attention'") != std::string::npos);
    CHECK(stage == Stage::k);
    CHECK(name(Operation::given) == "given");
    CHECK(name(Operation::mask) == "mask");
    CHECK(name(Operation::merge) == "merge");
}

TEST_CASE("inspect: cells that are not there", "[inspect]") {
    const HeldLayer held = grouped();
    Record record;
    record.value = 7.0F;
    const auto refused = [&](const HeldLayer& of, Stage stage,
                             const std::vector<std::int64_t>& index) {
        const Status status = attention::inspect(of.layer(), stage, index, record);
        CHECK(record.value == 7.0F);
        CHECK_FALSE(record.pair.has_value());
        return status;
    };
    const auto check = [&](const Status& status, Code code, const std::string& field,
                           const std::string& message) {
        CHECK(status.code == code);
        CHECK(status.field == field);
        CHECK(status.message == message);
    };
    check(refused(held, Stage::weights, {0, 6, 0, 0}), Code::wrong_value, "index",
          "index must be a cell of weights [B, Hq, T, S] = [2, 6, 4, 4], but is [0, 6, 0, 0]");
    check(refused(held, Stage::k, {0, 2, 0, 0}), Code::wrong_value, "index",
          "index must be a cell of k [B, Hkv, S, D] = [2, 2, 4, 3], but is [0, 2, 0, 0]");
    check(refused(held, Stage::wo, {7, 0}), Code::wrong_value, "index",
          "index must be a cell of wo [N, Hq * Dv] = [7, 12], but is [7, 0]");
    check(refused(held, Stage::output, {0, 0, -1}), Code::wrong_value, "index",
          "index must be a cell of output [B, T, N] = [2, 4, 7], but is [0, 0, -1]");
    check(refused(held, Stage::x, {0, 0}), Code::wrong_value, "index",
          "index must be a cell of x [B, T, M] = [2, 4, 5], but is [0, 0]");
    check(refused(held, Stage::mixed, {0, 0, 0, 0, 0}), Code::wrong_value, "index",
          "index must be a cell of mixed [B, Hq, T, Dv] = [2, 6, 4, 2], but is [0, 0, 0, 0, 0]");
    check(refused(held, Stage::context, {0, 0, 0}), Code::wrong_value, "stage",
          "stage must be one that the layer has, but is 'context', which is not given");
    HeldLayer bad = held;
    bad.wq.pop_back();
    CHECK(refused(bad, Stage::x, {0, 0, 0}).field == "wq");
    bad = held;
    bad.attention.scale = std::numeric_limits<double>::infinity();
    CHECK(refused(bad, Stage::x, {0, 0, 0}).field == "scale");
}
