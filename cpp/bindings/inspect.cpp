// The record behind a cell as a JavaScript object.
#include "attention/inspect.hpp"

#include "inputs.hpp"
#include "results.hpp"

namespace attention::bindings {

namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(InspectValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(InspectResult)

#define CELLS_TYPE "{ stage: " STAGE_TYPE "; index: number[]; axis: number; count: number }"
#define STAGE_TYPE                                                                         \
    "'x' | 'context' | 'wq' | 'wk' | 'wv' | 'wo' | 'q' | 'k' | 'v' | 'dots' | 'scores' | " \
    "'capped' | 'masked' | 'weights' | 'mixed' | 'merged' | 'output'"

val cells_object(const Cells& cells) {
    val object = val::object();
    put(object, "stage", name(cells.stage));
    put(object, "index", sizes(std::span(cells.first).first(axes_of(cells.stage))));
    put(object, "axis", static_cast<double>(cells.axis));
    put(object, "count", static_cast<double>(cells.count));
    return object;
}

val terms_object(const Terms& terms) {
    val object = val::object();
    put(object, "left", cells_object(terms.left));
    put(object, "right", cells_object(terms.right));
    put(object, "leftValues", copy(terms.left_values));
    put(object, "rightValues", copy(terms.right_values));
    put(object, "products", copy(terms.products));
    put(object, "sums", copy(terms.sums));
    put(object, "counted", copy(terms.counted));
    return object;
}

val pair_object(const Pair& pair) {
    const struct {
        const char* field;
        double value;
    } values[] = {{"kvHead", static_cast<double>(pair.kv_head)},
                  {"queryPosition", static_cast<double>(pair.query_position)},
                  {"keyPosition", static_cast<double>(pair.key_position)},
                  {"dot", pair.dot},
                  {"scale", pair.scale},
                  {"score", pair.score},
                  {"softcap", pair.softcap},
                  {"capped", pair.capped},
                  {"bias", pair.bias},
                  {"hiddenBy", static_cast<double>(pair.hidden_by)},
                  {"masked", pair.masked},
                  {"rowMax", pair.row_max},
                  {"exponential", pair.exponential},
                  {"rowSum", pair.row_sum},
                  {"weight", pair.weight}};
    val object = val::object();
    for (const auto& [field, value] : values) put(object, field, value);
    put(object, "exponentials", copy(pair.exponentials));
    put(object, "exponentialSums", copy(pair.exponential_sums));
    return object;
}
#define PAIR_TYPE                                                                   \
    "{ kvHead: number; queryPosition: number; keyPosition: number; dot: number;"    \
    " scale: number; score: number; softcap: number; capped: number; bias: number;" \
    " hiddenBy: number; masked: number; rowMax: number; exponential: number;"       \
    " rowSum: number; weight: number; exponentials: Float32Array;"                  \
    " exponentialSums: Float32Array }"

InspectResult inspect_value(const InspectValue& value) {
    InspectInput input;
    Record record;
    Status status = read(value, input);
    if (status.ok()) status = inspect(input.of.layer, input.stage, input.index, record);
    if (!status.ok()) return InspectResult(failure(status));
    val object = val::object();
    put(object, "value", record.value);
    put(object, "operation", name(record.operation));
    val sources = val::array();
    for (std::size_t at = 0; at < record.source_count; ++at) {
        sources.set(static_cast<int>(at), cells_object(record.sources[at]));
    }
    put(object, "sources", sources);
    if (record.terms.left.count > 0) put(object, "terms", terms_object(record.terms));
    if (record.pair) put(object, "pair", pair_object(*record.pair));
    return InspectResult(object);
}

}  // namespace

EMSCRIPTEN_BINDINGS(inspect) {
    declare<InspectValue>(Input::inspect);
    declare<InspectResult>(
        "{ value: number;"
        " operation: 'given' | 'projection' | 'dot' | 'scale' | 'softcap' | 'mask' | 'softmax'"
        " | 'mix' | 'merge';"
        " sources: " CELLS_TYPE
        "[];"
        " terms?: { left: " CELLS_TYPE "; right: " CELLS_TYPE
        ";"
        " leftValues: Float32Array; rightValues: Float32Array; products: Float32Array;"
        " sums: Float32Array; counted: Uint8Array };"
        " pair?: " PAIR_TYPE " } | " FAILURE_TYPE);
    emscripten::function("inspect", &inspect_value);
}

}  // namespace attention::bindings
