// The Embind module: JavaScript values in, JavaScript values out, no arithmetic.
//
// Every function takes one object and gives a result or { error }, never an
// exception; the TypeScript side turns { error } into an AttentionError. Results
// are copies: nothing that is handed out looks into this module's memory.
#include <emscripten/bind.h>
#include <emscripten/heap.h>

#include "inputs.hpp"
#include "results.hpp"

namespace attention::bindings {

namespace {

using emscripten::val;

// Types that exist for the TypeScript declarations only.
EMSCRIPTEN_DECLARE_VAL_TYPE(ProblemValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(LayerValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(CostValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(MaskValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(TraceResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(LayerTraceResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(CostResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(MaskResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(FieldKinds)
EMSCRIPTEN_DECLARE_VAL_TYPE(Names)

val heads_shape(const Shape& s, Layout layout) {
    return layout == Layout::bhtd ? sizes({s.batch, s.query_heads, s.queries, s.value_dim})
                                  : sizes({s.batch, s.queries, s.query_heads * s.value_dim});
}

/// What a trace holds of one attention problem.
val trace_object(const Problem& problem, const Trace& trace) {
    const Shape& s = problem.shape;
    Mask mask;
    if (Status status = Mask::resolve(s, problem.mask, mask); !status.ok()) return failure(status);
    std::vector<std::int32_t> query_positions;
    std::vector<std::int32_t> key_positions;
    for (std::int64_t b = 0; b < s.batch; ++b) {
        for (std::int64_t i = 0; i < s.queries; ++i) {
            query_positions.push_back(static_cast<std::int32_t>(mask.query_position(b, i)));
        }
        for (std::int64_t j = 0; j < s.keys; ++j) {
            key_positions.push_back(static_cast<std::int32_t>(mask.key_position(b, j)));
        }
    }
    val object = val::object();
    object.set(key("shape"), sizes({s.batch, s.query_heads, s.queries, s.keys}));
    object.set(key("scale"), scale_of(problem));
    object.set(key("queryPositions"), copy(query_positions));
    object.set(key("keyPositions"), copy(key_positions));
    object.set(key("dots"), copy(trace.dots));
    object.set(key("scores"), copy(trace.scores));
    object.set(key("capped"), copy(trace.capped));
    object.set(key("masked"), copy(trace.masked));
    object.set(key("weights"), copy(trace.weights));
    object.set(key("hiddenBy"), copy(trace.hidden_by));
    object.set(key("rowMax"), copy(trace.row_max));
    object.set(key("rowSum"), copy(trace.row_sum));
    return object;
}
#define TRACE_FIELDS                                                                        \
    " shape: number[]; scale: number; queryPositions: Int32Array; keyPositions: Int32Array;" \
    " dots: Float32Array; scores: Float32Array; capped: Float32Array; masked: Float32Array;" \
    " weights: Float32Array; hiddenBy: Uint8Array; rowMax: Float32Array; rowSum: Float32Array;"

AttendResult attend_value(const ProblemValue& value) {
    ProblemInput input;
    Status status = read(value, input);
    if (status.ok()) status = validate(input.problem);
    if (!status.ok()) return AttendResult(failure(status));
    const std::int64_t size = output_size(input.problem.shape);
    Buffer<float> memory;
    status = reserve_output(memory, size);
    const std::span<float> output(memory.data(), static_cast<std::size_t>(size));
    if (status.ok()) status = attend(input.problem, output);
    if (!status.ok()) return AttendResult(failure(status));
    return AttendResult(result_of(output, heads_shape(input.problem.shape, input.problem.layout)));
}

TraceResult trace_value(const ProblemValue& value) {
    ProblemInput input;
    Trace trace;
    Status status = read(value, input);
    if (status.ok()) status = attention::trace(input.problem, trace);
    if (!status.ok()) return TraceResult(failure(status));
    val object = trace_object(input.problem, trace);
    object.set(key("output"), copy(trace.output));
    object.set(key("outputShape"), heads_shape(input.problem.shape, input.problem.layout));
    return TraceResult(object);
}

AttendResult attend_layer_value(const LayerValue& value) {
    LayerInput input;
    Status status = read(value, input);
    if (status.ok()) status = validate(input.layer);
    if (!status.ok()) return AttendResult(failure(status));
    const Shape& s = input.layer.attention.shape;
    const std::int64_t size = output_size(input.layer);
    Buffer<float> memory;
    status = reserve_output(memory, size);
    const std::span<float> output(memory.data(), static_cast<std::size_t>(size));
    if (status.ok()) status = attend_layer(input.layer, output);
    if (!status.ok()) return AttendResult(failure(status));
    return AttendResult(result_of(output, sizes({s.batch, s.queries, input.layer.output_dim})));
}

LayerTraceResult trace_layer_value(const LayerValue& value) {
    LayerInput input;
    LayerTrace trace;
    Status status = read(value, input);
    if (status.ok()) status = trace_layer(input.layer, trace);
    if (!status.ok()) return LayerTraceResult(failure(status));
    const Shape& s = input.layer.attention.shape;
    val object = trace_object(input.layer.attention, trace.attention);
    object.set(key("q"), copy(trace.q));
    object.set(key("k"), copy(trace.k));
    object.set(key("v"), copy(trace.v));
    object.set(key("heads"), copy(trace.attention.output));
    object.set(key("headsShape"), heads_shape(s, Layout::bthd));
    object.set(key("output"), copy(trace.output));
    object.set(key("outputShape"), sizes({s.batch, s.queries, input.layer.output_dim}));
    return LayerTraceResult(object);
}

CostResult cost_value(const CostValue& value) {
    CostInput input;
    Cost cost;
    Status status = read(value, input);
    if (status.ok()) {
        status = attention::cost(input.shape, input.rules, input.cache_element_bytes, cost);
    }
    if (!status.ok()) return CostResult(failure(status));
    val object = val::object();
    object.set(key("pairs"), cost.pairs);
    object.set(key("visiblePairs"), cost.visible_pairs);
    object.set(key("flops"), cost.flops);
    object.set(key("visibleFlops"), cost.visible_flops);
    object.set(key("scoreBytes"), cost.score_bytes);
    object.set(key("cacheBytesPerToken"), cost.cache_bytes_per_token);
    object.set(key("cacheBytes"), cost.cache_bytes);
    return CostResult(object);
}

MaskResult mask_value(const MaskValue& value) {
    MaskInput input;
    Buffer<std::uint8_t> memory;
    Status status = read(value, input);
    const std::int64_t size = mask_size(input.mask);
    if (status.ok() && !memory.reserve(size)) {
        status = out_of_memory(std::to_string(size) + " values of a mask");
    }
    const std::span<std::uint8_t> allowed(memory.data(), static_cast<std::size_t>(size));
    if (status.ok()) status = fill_mask(input.mask, allowed);
    if (!status.ok()) return MaskResult(failure(status));
    val object = val::object();
    object.set(key("allowed"), copy(allowed.data(), allowed.size()));
    object.set(key("shape"), sizes({input.mask.queries, input.mask.keys}));
    return MaskResult(object);
}

/// Field name to kind, for each input.
FieldKinds field_kinds(Input input) {
    val kinds = val::object();
    for (const Field& field : fields()) {
        if (field.in(input)) kinds.set(std::string(field.name), std::string(name(field.kind)));
    }
    return FieldKinds(kinds);
}

Names hidden_reasons() {
    val names = val::array();
    int at = 0;
    for (const Hidden bit : hidden::all) names.set(at++, std::string(hidden::name(bit)));
    return Names(names);
}

std::string version() { return ATTENTION_VERSION; }

double memory_bytes() { return static_cast<double>(emscripten_get_heap_size()); }

Failure unknown_field_value(Input input, const std::string& field) {
    return Failure(failure(check_field_name(input, field)));
}

Failure wrong_type_value(const std::string& field, const val& got) {
    return Failure(failure(wrong_type(field, describe(got))));
}

Failure wrong_element_value(const std::string& field, double index, const val& got) {
    return Failure(failure(wrong_element(field, static_cast<std::int64_t>(index), describe(got))));
}

Failure unavailable_value(const std::string& what, const std::string& instead) {
    return Failure(failure(unavailable(what, instead)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(attention) {
    declare<ProblemValue>(Input::problem);
    declare<LayerValue>(Input::layer);
    declare<CostValue>(Input::cost);
    declare<MaskValue>(Input::mask);
    declare<AttendResult>("{ output: Float32Array; shape: number[] } | " FAILURE_TYPE);
    declare<TraceResult>("{" TRACE_FIELDS
                         " output: Float32Array; outputShape: number[] } | " FAILURE_TYPE);
    declare<LayerTraceResult>(
        "{" TRACE_FIELDS
        " q: Float32Array; k: Float32Array; v: Float32Array; heads: Float32Array;"
        " headsShape: number[]; output: Float32Array; outputShape: number[] } | " FAILURE_TYPE);
    declare<CostResult>(
        "{ pairs: number; visiblePairs: number; flops: number; visibleFlops: number;"
        " scoreBytes: number; cacheBytesPerToken: number; cacheBytes: number } | " FAILURE_TYPE);
    declare<MaskResult>("{ allowed: Uint8Array; shape: number[] } | " FAILURE_TYPE);
    declare<Failure>(FAILURE_TYPE);
    declare<FieldKinds>("Record<string, string>");
    declare<Names>("string[]");

    emscripten::enum_<Input>("Input")
        .value("problem", Input::problem)
        .value("layer", Input::layer)
        .value("cost", Input::cost)
        .value("mask", Input::mask)
        .value("cache", Input::cache)
        .value("append", Input::append)
        .value("decode", Input::decode);

    emscripten::function("attend", &attend_value);
    emscripten::function("trace", &trace_value);
    emscripten::function("multiHead", &attend_layer_value);
    emscripten::function("traceMultiHead", &trace_layer_value);
    emscripten::function("cost", &cost_value);
    emscripten::function("mask", &mask_value);
    emscripten::function("fieldKinds", &field_kinds);
    emscripten::function("hiddenReasons", &hidden_reasons);
    emscripten::function("version", &version);
    emscripten::function("memoryBytes", &memory_bytes);
    emscripten::function("unknownField", &unknown_field_value);
    emscripten::function("wrongType", &wrong_type_value);
    emscripten::function("wrongElement", &wrong_element_value);
    emscripten::function("unavailable", &unavailable_value);
}

}  // namespace attention::bindings
