// The Embind module: JavaScript values in, JavaScript values out, no arithmetic.
//
// Every function takes one object and gives a result or { error }, never an
// exception; the TypeScript side turns { error } into an AttentionError. Results
// are copies: nothing that is handed out looks into this module's memory. Large ones are
// copied by the caller's function, who may have an array for them already.
#include <emscripten/bind.h>
#include <emscripten/heap.h>

#include "attention/gpu_plan.hpp"
#include "attention/split.hpp"
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
EMSCRIPTEN_DECLARE_VAL_TYPE(PresetValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(PlanResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(TraceResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(LayerTraceResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(CostResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(MaskResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(PresetResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(FieldKinds)
EMSCRIPTEN_DECLARE_VAL_TYPE(Names)

val heads_shape(const Shape& s, Layout layout) {
    return layout == Layout::bhtd ? sizes({s.batch, s.query_heads, s.queries, s.value_dim})
                                  : sizes({s.batch, s.queries, s.query_heads * s.value_dim});
}

/// position(b, i) for each of `count` in each batch item.
template <class Position>
val positions(std::int64_t batch, std::int64_t count, Position position) {
    std::vector<std::int32_t> list;
    for (std::int64_t b = 0; count > 0 && b < batch; ++b) {
        for (std::int64_t i = 0; i < count; ++i) {
            list.push_back(static_cast<std::int32_t>(position(b, i)));
        }
    }
    return copy(list);
}

val query_positions(const Shape& s, const Mask& mask) {
    return positions(s.batch, s.queries,
                     [&](std::int64_t b, std::int64_t i) { return mask.query_position(b, i); });
}

val key_positions(const Shape& s, const Mask& mask) {
    return positions(s.batch, s.keys,
                     [&](std::int64_t b, std::int64_t j) { return mask.key_position(b, j); });
}

/// The KV head that each query head reads.
val kv_heads(const Shape& s) {
    val list = val::array();
    for (std::int64_t h = 0; h < s.query_heads; ++h) {
        list.set(static_cast<int>(h), static_cast<double>(s.kv_head(h)));
    }
    return list;
}

/// What a trace holds of one attention problem.
val trace_object(const Problem& problem, const Trace& trace, const CopyOut& copy_out) {
    const Shape& s = problem.shape;
    Mask mask;
    if (Status status = Mask::resolve(s, problem.mask, mask); !status.ok()) return failure(status);
    val object = val::object();
    put(object, "shape", sizes({s.batch, s.query_heads, s.queries, s.keys}));
    put(object, "scale", scale_of(problem));
    put(object, "queryPositions", query_positions(s, mask));
    put(object, "keyPositions", key_positions(s, mask));
    put(object, "kvHeads", kv_heads(s));
    put(object, copy_out, "dots", trace.dots);
    put(object, copy_out, "scores", trace.scores);
    put(object, copy_out, "capped", trace.capped);
    put(object, copy_out, "masked", trace.masked);
    put(object, copy_out, "weights", trace.weights);
    put(object, copy_out, "hiddenBy", trace.hidden_by);
    put(object, copy_out, "rowMax", trace.row_max);
    put(object, copy_out, "rowSum", trace.row_sum);
    return object;
}
#define TRACE_FIELDS                                                                         \
    " shape: number[]; scale: number; queryPositions: Int32Array; keyPositions: Int32Array;" \
    " kvHeads: number[];"                                                                    \
    " dots: Float32Array; scores: Float32Array; capped: Float32Array; masked: Float32Array;" \
    " weights: Float32Array; hiddenBy: Uint8Array; rowMax: Float32Array; rowSum: Float32Array;"

AttendResult attend_value(const ProblemValue& value, const CopyOut& copy_out) {
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
    return AttendResult(
        result_of(output, heads_shape(input.problem.shape, input.problem.layout), copy_out));
}

/// What the worker pool has to know of a problem: the kernel, the work in its full
/// square, the parts, and the positions that a part has to state.
PlanResult plan_value(const ProblemValue& value, double workers) {
    ProblemInput input;
    Status status = read_without_values(value, input);
    if (status.ok()) status = validate(input.problem);
    const Problem& problem = input.problem;
    Mask mask;
    if (status.ok()) status = Mask::resolve(problem.shape, problem.mask, mask);
    Cost cost;
    if (status.ok()) status = attention::cost(problem.shape, {}, 4, cost);
    if (!status.ok()) return PlanResult(failure(status));

    val parts = val::array();
    int at = 0;
    for (const Part& part : split(problem, static_cast<std::int64_t>(workers))) {
        val object = val::object();
        put(object, "batch", static_cast<double>(part.batch));
        put(object, "kvHead", static_cast<double>(part.kv_head));
        put(object, "firstQuery", static_cast<double>(part.first_query));
        put(object, "queries", static_cast<double>(part.queries));
        put(object, "keys", static_cast<double>(part.keys));
        parts.set(at++, object);
    }
    val object = val::object();
    put(object, "kernel", name(kernel_for(problem)));
    put(object, "flops", cost.flops);
    put(object, "parts", parts);
    put(object, "queryPositions", query_positions(problem.shape, mask));
    put(object, "allowedShape", sizes(mask.allowed_sizes(problem.shape)));
    put(object, "biasShape", sizes(mask.bias_sizes(problem.shape)));
    put(object, "shape", shape_object(problem));
    return PlanResult(object);
}

TraceResult trace_value(const ProblemValue& value, const CopyOut& copy_out) {
    ProblemInput input;
    Trace trace;
    Status status = read(value, input);
    if (status.ok()) status = attention::trace(input.problem, trace);
    if (!status.ok()) return TraceResult(failure(status));
    val object = trace_object(input.problem, trace, copy_out);
    put(object, copy_out, "output", trace.output);
    put(object, "outputShape", heads_shape(input.problem.shape, input.problem.layout));
    return TraceResult(object);
}

AttendResult attend_layer_value(const LayerValue& value, const CopyOut& copy_out) {
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
    return AttendResult(
        result_of(output, sizes({s.batch, s.queries, input.layer.output_dim}), copy_out));
}

LayerTraceResult trace_layer_value(const LayerValue& value, const CopyOut& copy_out) {
    LayerInput input;
    LayerTrace trace;
    Status status = read(value, input);
    if (status.ok()) status = trace_layer(input.layer, trace);
    if (!status.ok()) return LayerTraceResult(failure(status));
    const Shape& s = input.layer.attention.shape;
    val object = trace_object(input.layer.attention, trace.attention, copy_out);
    put(object, copy_out, "q", trace.q);
    put(object, copy_out, "k", trace.k);
    put(object, copy_out, "v", trace.v);
    put(object, copy_out, "heads", trace.attention.output);
    put(object, "headsShape", heads_shape(s, Layout::bthd));
    put(object, copy_out, "output", trace.output);
    put(object, "outputShape", sizes({s.batch, s.queries, input.layer.output_dim}));
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
    put(object, "pairs", cost.pairs);
    put(object, "visiblePairs", cost.visible_pairs);
    put(object, "flops", cost.flops);
    put(object, "visibleFlops", cost.visible_flops);
    put(object, "scoreBytes", cost.score_bytes);
    put(object, "cacheBytesPerToken", cost.cache_bytes_per_token);
    put(object, "cacheBytes", cost.cache_bytes);
    return CostResult(object);
}

MaskResult mask_value(const MaskValue& value) {
    MaskInput input;
    Buffer<std::uint8_t> memory;
    Status status = read(value, input);
    const std::int64_t size = mask_size(input.mask);
    if (status.ok() && !memory.reserve(size)) {
        status = out_of_memory(sentence("% values of a mask", {size}));
    }
    const std::span<std::uint8_t> allowed(memory.data(), static_cast<std::size_t>(size));
    std::string code;
    if (status.ok()) status = fill_mask(input.mask, allowed, &code);
    if (!status.ok()) return MaskResult(failure(status));
    val object = val::object();
    put(object, "allowed", copy(allowed.data(), allowed.size()));
    put(object, "shape", sizes({input.mask.queries, input.mask.keys}));
    put(object, "code", code);
    return MaskResult(object);
}

PresetResult preset_value(const PresetValue& value) {
    PresetInput input;
    LayerValues layer;
    Status status = read(value, input);
    if (status.ok()) status = fill_layer(input.preset, layer);
    if (!status.ok()) return PresetResult(failure(status));
    val object = val::object();
    put(object, "x", copy(layer.x));
    put(object, "context", copy(layer.context));
    put(object, "wq", copy(layer.wq));
    put(object, "wk", copy(layer.wk));
    put(object, "wv", copy(layer.wv));
    put(object, "wo", copy(layer.wo));
    return PresetResult(object);
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

Failure worker_died_value(const std::string& reason) {
    return Failure(failure(worker_died(reason)));
}

Failure unavailable_value(const std::string& what, const std::string& instead) {
    return Failure(failure(unavailable(what, instead)));
}

Failure gpu_reason_value(GpuReason reason, const std::string& detail) {
    return Failure(failure(gpu_reason(reason, detail)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(attention) {
    declare<ProblemValue>(Input::problem);
    declare<LayerValue>(Input::layer);
    declare<CostValue>(Input::cost);
    declare<MaskValue>(Input::mask);
    declare<PresetValue>(Input::preset);
    declare<AttendResult>("{ output: Float32Array; shape: number[] } | " FAILURE_TYPE);
    declare<PlanResult>(
        "{ kernel: 'reference' | 'online' | 'tiled' | 'decode'; flops: number;"
        " queryPositions: Int32Array; allowedShape: number[]; biasShape: number[];"
        " parts: { batch: number; kvHead: number; firstQuery: number; queries: number;"
        " keys: number }[]; shape: " SHAPE_TYPE " } | " FAILURE_TYPE);
    declare<TraceResult>("{" TRACE_FIELDS
                         " output: Float32Array; outputShape: number[] } | " FAILURE_TYPE);
    declare<LayerTraceResult>(
        "{" TRACE_FIELDS
        " q: Float32Array; k: Float32Array; v: Float32Array; heads: Float32Array;"
        " headsShape: number[]; output: Float32Array; outputShape: number[] } | " FAILURE_TYPE);
    declare<CostResult>(
        "{ pairs: number; visiblePairs: number; flops: number; visibleFlops: number;"
        " scoreBytes: number; cacheBytesPerToken: number; cacheBytes: number } | " FAILURE_TYPE);
    declare<MaskResult>("{ allowed: Uint8Array; shape: number[]; code: string } | " FAILURE_TYPE);
    declare<PresetResult>(
        "{ x: Float32Array; context: Float32Array; wq: Float32Array; wk: Float32Array;"
        " wv: Float32Array; wo: Float32Array } | " FAILURE_TYPE);
    declare<Failure>(FAILURE_TYPE);
    declare<CopyOut>("<V extends Float32Array | Uint8Array>(name: string, values: V) => V");
    declare<FieldKinds>("Record<string, string>");
    declare<Names>("string[]");

    emscripten::enum_<Input>("Input")
        .value("problem", Input::problem)
        .value("layer", Input::layer)
        .value("cost", Input::cost)
        .value("mask", Input::mask)
        .value("cache", Input::cache)
        .value("append", Input::append)
        .value("decode", Input::decode)
        .value("inspect", Input::inspect)
        .value("preset", Input::preset);

    emscripten::enum_<GpuReason>("GpuReason")
        .value("chosen", GpuReason::chosen)
        .value("waiting", GpuReason::waiting)
        .value("faster", GpuReason::faster)
        .value("slower", GpuReason::slower)
        .value("tooSmall", GpuReason::too_small)
        .value("noApi", GpuReason::no_api)
        .value("insecure", GpuReason::insecure)
        .value("noAdapter", GpuReason::no_adapter)
        .value("noDevice", GpuReason::no_device)
        .value("shader", GpuReason::shader)
        .value("lost", GpuReason::lost)
        .value("failed", GpuReason::failed);

    emscripten::function("attend", &attend_value);
    emscripten::function("plan", &plan_value);
    emscripten::function("trace", &trace_value);
    emscripten::function("multiHead", &attend_layer_value);
    emscripten::function("traceMultiHead", &trace_layer_value);
    emscripten::function("cost", &cost_value);
    emscripten::function("mask", &mask_value);
    emscripten::function("preset", &preset_value);
    emscripten::function("fieldKinds", &field_kinds);
    emscripten::function("hiddenReasons", &hidden_reasons);
    emscripten::function("version", &version);
    emscripten::function("memoryBytes", &memory_bytes);
    emscripten::function("unknownField", &unknown_field_value);
    emscripten::function("wrongType", &wrong_type_value);
    emscripten::function("wrongElement", &wrong_element_value);
    emscripten::function("workerDied", &worker_died_value);
    emscripten::function("unavailable", &unavailable_value);
    emscripten::function("gpuReason", &gpu_reason_value);
}

}  // namespace attention::bindings
