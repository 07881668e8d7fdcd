// inspect(): a layer of one query, with one head where that will do, is traced by
// trace_layer(), and the record is read off its stages.
#include "attention/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "buffer.hpp"
#include "checked.hpp"

namespace attention {

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

constexpr std::string_view stage_names[] = {
    "x",    "context", "wq",     "wk",     "wv",      "wo",    "q",      "k",     "v",
    "dots", "scores",  "capped", "masked", "weights", "mixed", "merged", "output"};
constexpr std::string_view operation_names[] = {"given", "projection", "dot", "scale", "softcap",
                                                "mask",  "softmax",    "mix", "merge"};

enum Axis : std::uint8_t { none, B, Hq, Hkv, T, S, D, Dv, M, N, HqD, HkvD, HkvDv, HqDv };
/// An index of a source, by what it is made from: an index of the cell itself, or the
/// KV head, the row of weights, the head or its feature that belongs to it.
enum Index : std::uint8_t { zero, i0, i1, i2, i3, its_kv_head, its_row, its_head, its_feature };

struct Source {
    Stage stage;
    Index first[4];
    std::uint8_t axis = 3;
    bool whole = false;  // all cells along the axis; otherwise one
};

constexpr Source dot_query = {Stage::q, {i0, i1, i2, zero}, 3, true};
constexpr Source dot_key = {Stage::k, {i0, its_kv_head, i3, zero}, 3, true};

constexpr struct {
    Operation operation;
    std::string_view shape;  // of a sentence
    Axis axes[4];
    Source left;
    Source right;
} table[] = {
    {Operation::given, "[B, T, M]", {B, T, M}, {}, {}},
    {Operation::given, "[B, S, M]", {B, S, M}, {}, {}},
    {Operation::given, "[Hq * D, M]", {HqD, M}, {}, {}},
    {Operation::given, "[Hkv * D, M]", {HkvD, M}, {}, {}},
    {Operation::given, "[Hkv * Dv, M]", {HkvDv, M}, {}, {}},
    {Operation::given, "[N, Hq * Dv]", {N, HqDv}, {}, {}},
    {Operation::projection,
     "[B, Hq, T, D]",
     {B, Hq, T, D},
     {Stage::x, {i0, i2}, 2, true},
     {Stage::wq, {its_row}, 1, true}},
    {Operation::projection,
     "[B, Hkv, S, D]",
     {B, Hkv, S, D},
     {Stage::context, {i0, i2}, 2, true},
     {Stage::wk, {its_row}, 1, true}},
    {Operation::projection,
     "[B, Hkv, S, Dv]",
     {B, Hkv, S, Dv},
     {Stage::context, {i0, i2}, 2, true},
     {Stage::wv, {its_row}, 1, true}},
    {Operation::dot, "[B, Hq, T, S]", {B, Hq, T, S}, dot_query, dot_key},
    {Operation::scale, "[B, Hq, T, S]", {B, Hq, T, S}, {Stage::dots, {i0, i1, i2, i3}}, {}},
    {Operation::softcap, "[B, Hq, T, S]", {B, Hq, T, S}, {Stage::scores, {i0, i1, i2, i3}}, {}},
    {Operation::mask, "[B, Hq, T, S]", {B, Hq, T, S}, {Stage::capped, {i0, i1, i2, i3}}, {}},
    {Operation::softmax,
     "[B, Hq, T, S]",
     {B, Hq, T, S},
     {Stage::masked, {i0, i1, i2}, 3, true},
     {}},
    {Operation::mix,
     "[B, Hq, T, Dv]",
     {B, Hq, T, Dv},
     {Stage::weights, {i0, i1, i2}, 3, true},
     {Stage::v, {i0, its_kv_head, zero, i3}, 2, true}},
    {Operation::merge,
     "[B, T, Hq * Dv]",
     {B, T, HqDv},
     {Stage::mixed, {i0, its_head, i1, its_feature}},
     {}},
    {Operation::projection,
     "[B, T, N]",
     {B, T, N},
     {Stage::merged, {i0, i1}, 2, true},
     {Stage::wo, {i2}, 1, true}},
};

const auto& facts(Stage stage) { return table[static_cast<int>(stage)]; }

CellIndex sizes_of(Stage stage, const Layer& layer) {
    const Shape& s = layer.attention.shape;
    const std::int64_t sizes[] = {1,
                                  s.batch,
                                  s.query_heads,
                                  s.kv_heads,
                                  s.queries,
                                  s.keys,
                                  s.head_dim,
                                  s.value_dim,
                                  layer.model_dim,
                                  layer.output_dim,
                                  s.query_heads * s.head_dim,
                                  s.kv_heads * s.head_dim,
                                  s.kv_heads * s.value_dim,
                                  s.query_heads * s.value_dim};
    CellIndex of_stage{};
    for (int at = 0; at < 4; ++at) of_stage[at] = sizes[facts(stage).axes[at]];
    return of_stage;
}

/// Whether the stage has such a cell.
Status check_cell(const Layer& layer, Stage stage, std::span<const std::int64_t> index) {
    if (stage == Stage::context && !layer.context) {
        return wrong_value("stage", "one that the layer has", "'context', which is not given");
    }
    const auto count = static_cast<std::size_t>(axes_of(stage));
    const CellIndex sizes = sizes_of(stage, layer);
    bool is_cell = index.size() == count;
    for (std::size_t axis = 0; is_cell && axis < count; ++axis) {
        is_cell = index[axis] >= 0 && index[axis] < sizes[axis];
    }
    if (is_cell) return {};
    return error(Code::wrong_value, "index", "index must be a cell of % % = %, but is %",
                 {name(stage), facts(stage).shape, std::span(sizes).first(count), index});
}

/// What is known of a layer's stages: the given ones, and of the others one query.
class Stages {
public:
    Stages(const Layer& layer, const Mask& mask) : layer_(layer), mask_(mask), one_(layer) {}

    /// Traces one query in `heads` heads, one or all, from `head` on.
    Status trace(std::int64_t batch, std::int64_t query, std::int64_t head, std::int64_t heads) {
        const Shape& s = layer_.attention.shape;
        const std::int64_t m = layer_.model_dim;
        const auto part = [](std::span<const float>& values, std::int64_t first,
                             std::int64_t count) {
            values =
                values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
        };
        head_ = head;
        kv_head_ = s.kv_head(head);
        one_.context = layer_.context.value_or(layer_.x);
        part(*one_.context, batch * s.keys * m, s.keys * m);
        part(one_.x, (batch * s.queries + query) * m, m);
        Shape& shape = one_.attention.shape;
        shape.batch = 1;
        shape.queries = 1;
        if (heads < s.query_heads) {
            shape.query_heads = 1;
            shape.kv_heads = 1;
            part(one_.wq, head * s.head_dim * m, s.head_dim * m);
            part(one_.wk, kv_head_ * s.head_dim * m, s.head_dim * m);
            part(one_.wv, kv_head_ * s.value_dim * m, s.value_dim * m);
            // One head's output is not looked at, and has no row of wo to itself.
            one_.output_dim = 1;
            part(one_.wo, 0, s.value_dim);
        }

        const auto position = static_cast<std::int32_t>(mask_.query_position(batch, query));
        const std::int64_t pairs = heads * s.keys;
        Buffer<std::int32_t> keys;
        Buffer<std::uint8_t> allowed;
        Buffer<float> bias;
        if (!keys.reserve(s.keys) || !allowed.reserve(pairs) || !bias.reserve(pairs)) {
            return out_of_memory("a row of the mask");
        }
        for (std::int64_t at = 0; at < pairs; ++at) {
            const std::int64_t key = at % s.keys;
            const std::int64_t of = head + at / s.keys;
            keys[key] = static_cast<std::int32_t>(mask_.key_position(batch, key));
            allowed[at] = !(mask_.hidden_by(batch, of, query, key) & hidden::by_allowed);
            bias[at] = mask_.bias(batch, of, query, key);
        }
        MaskRules& rules = one_.attention.mask;
        const auto count = static_cast<std::size_t>(pairs);
        rules.query_positions = {&position, 1};
        rules.key_positions = {keys.data(), static_cast<std::size_t>(s.keys)};
        rules.allowed = {{allowed.data(), count}, {}};
        rules.bias = {{bias.data(), count}, {}};
        return trace_layer(one_, traced_);
    }

    float value(Stage stage, const CellIndex& index) const {
        const Trace& t = traced_.attention;
        const float* const values[] = {
            layer_.x.data(),      layer_.context ? layer_.context->data() : nullptr,
            layer_.wq.data(),     layer_.wk.data(),
            layer_.wv.data(),     layer_.wo.data(),
            traced_.q.data(),     traced_.k.data(),
            traced_.v.data(),     t.dots.data(),
            t.scores.data(),      t.capped.data(),
            t.masked.data(),      t.weights.data(),
            t.output.data(),      t.output.data(),
            traced_.output.data()};
        // Row-major, as heads are too while there is one token or one head.
        const bool given = facts(stage).operation == Operation::given;
        const CellIndex sizes = sizes_of(stage, given ? layer_ : one_);
        std::int64_t offset = 0;
        for (int axis = 0; axis < 4; ++axis) {
            std::int64_t at = index[axis];
            if (!given) {
                switch (facts(stage).axes[axis]) {
                    case B:
                    case T: at = 0; break;
                    case Hq: at -= head_; break;
                    case Hkv: at -= kv_head_; break;
                    default: break;
                }
            }
            offset = offset * sizes[axis] + at;
        }
        return values[static_cast<int>(stage)][offset];
    }

    Pair pair(const CellIndex& index) const {
        const auto& [b, h, i, j] = index;
        const Trace& t = traced_.attention;
        const float row_max = t.row_max[0];
        std::vector<float> exponentials = t.masked;
        std::vector<float> sums = t.masked;
        float sum = 0.0F;
        for (std::int64_t key = 0; key < layer_.attention.shape.keys; ++key) {
            const float masked = t.masked[key];
            exponentials[key] = masked == minus_infinity ? 0.0F : std::exp(masked - row_max);
            sums[key] = sum += exponentials[key];
        }
        return {.kv_head = kv_head_,
                .query_position = mask_.query_position(b, i),
                .key_position = mask_.key_position(b, j),
                .dot = value(Stage::dots, index),
                .scale = scale_of(layer_.attention),
                .score = value(Stage::scores, index),
                .softcap = static_cast<float>(layer_.attention.softcap),
                .capped = value(Stage::capped, index),
                .bias = mask_.bias(b, h, i, j),
                .hidden_by = t.hidden_by[j],
                .masked = t.masked[j],
                .row_max = row_max,
                .exponential = exponentials[j],
                .row_sum = t.row_sum[0],
                .weight = value(Stage::weights, index),
                .exponentials = std::move(exponentials),
                .exponential_sums = std::move(sums)};
    }

    /// The cells that a source of the cell at `index` of `stage` is.
    Cells cells_of(const Source& source, Stage stage, const CellIndex& index) const {
        const Shape& s = layer_.attention.shape;
        const auto& [b, second, third, last] = index;
        const std::int64_t dim = stage == Stage::v ? s.value_dim : s.head_dim;
        const std::int64_t indices[] = {0,
                                        b,
                                        second,
                                        third,
                                        last,
                                        s.kv_head(second),
                                        second * dim + last,
                                        third / s.value_dim,
                                        third % s.value_dim};
        Cells cells;
        cells.stage = source.stage == Stage::context && !layer_.context ? Stage::x : source.stage;
        cells.axis = source.axis;
        for (int axis = 0; axis < 4; ++axis) cells.first[axis] = indices[source.first[axis]];
        cells.count = source.whole ? sizes_of(cells.stage, layer_)[source.axis] : 1;
        return cells;
    }

    /// Writes down a sum of products in the order of the reference kernel.
    void add_up(const Cells& left, const Cells& right, Terms& into) const {
        into.left = left;
        into.right = right;
        for (auto* values : {&into.left_values, &into.right_values, &into.products, &into.sums}) {
            values->assign(static_cast<std::size_t>(left.count), 0.0F);
        }
        into.counted.assign(static_cast<std::size_t>(left.count), 1);
        CellIndex l = left.first;
        CellIndex r = right.first;
        float sum = 0.0F;
        for (std::int64_t n = 0; n < left.count; ++n, ++l[left.axis], ++r[right.axis]) {
            const float a = value(left.stage, l);
            const float b = value(right.stage, r);
            into.left_values[n] = a;
            into.right_values[n] = b;
            if (left.stage == Stage::weights && value(Stage::masked, l) == minus_infinity) {
                into.counted[n] = 0;
            } else {
                into.products[n] = a * b;
                sum += a * b;
            }
            into.sums[n] = sum;
        }
    }

private:
    const Layer& layer_;
    const Mask& mask_;
    Layer one_;  // the layer of one query
    LayerTrace traced_;
    std::int64_t head_ = 0;
    std::int64_t kv_head_ = 0;
};

}  // namespace

std::string_view name(Stage stage) { return stage_names[static_cast<int>(stage)]; }

std::string_view name(Operation operation) { return operation_names[static_cast<int>(operation)]; }

std::int64_t axes_of(Stage stage) {
    return std::count_if(std::begin(facts(stage).axes), std::end(facts(stage).axes),
                         [](Axis axis) { return axis != none; });
}

Status stage_by_name(std::string_view word, Stage& into) {
    int found = 0;
    Status status = find_name("stage", stage_names, word, found);
    if (status.ok()) into = static_cast<Stage>(found);
    return status;
}

Status inspect(const Layer& layer, Stage stage, std::span<const std::int64_t> index, Record& into) {
    const Shape& s = layer.attention.shape;
    Status status = validate(layer);
    if (status.ok()) status = check_cell(layer, stage, index);
    Mask mask;
    if (status.ok()) status = Mask::resolve(s, layer.attention.mask, mask);
    if (!status.ok()) return status;

    CellIndex at{};
    std::copy(index.begin(), index.end(), at.begin());
    Stages stages(layer, mask);
    if (stage >= Stage::merged) {
        status = stages.trace(at[0], at[1], 0, s.query_heads);
    } else if (stage >= Stage::dots) {
        status = stages.trace(at[0], at[2], at[1], 1);
    }
    if (!status.ok()) return status;

    const Operation operation = facts(stage).operation;
    const bool is_pair = stage >= Stage::dots && stage <= Stage::weights;
    const bool is_sum = facts(stage).right.whole;
    into.operation = operation;
    const std::size_t sources = is_sum ? 2 : 1;
    into.source_count = operation == Operation::given ? 0 : sources;
    into.sources = {stages.cells_of(facts(stage).left, stage, at),
                    stages.cells_of(facts(stage).right, stage, at)};
    Cells left = into.sources[0];
    Cells right = into.sources[1];
    if (is_pair) {
        left = stages.cells_of(dot_query, stage, at);
        right = stages.cells_of(dot_key, stage, at);
    } else if (!is_sum) {
        left.count = 0;
    }
    stages.add_up(left, right, into.terms);
    into.pair.reset();
    if (is_pair) into.pair = stages.pair(at);
    const bool is_projected = stage >= Stage::q && stage <= Stage::v;  // of which no trace is made
    into.value = is_projected ? into.terms.sums.back() : stages.value(stage, at);
    return {};
}

}  // namespace attention
