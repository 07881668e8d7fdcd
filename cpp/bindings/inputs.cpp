#include "inputs.hpp"

namespace attention::bindings {

void read_shape(Reader& reader, Shape& shape) {
    reader.count("batch", shape.batch);
    reader.count("queryHeads", shape.query_heads);
    shape.kv_heads = shape.query_heads;
    reader.count("kvHeads", shape.kv_heads);
    reader.count("queries", shape.queries);
    shape.keys = shape.queries;
    reader.count("keys", shape.keys);
    reader.count("headDim", shape.head_dim);
    shape.value_dim = shape.head_dim;
    reader.count("valueDim", shape.value_dim);
}

void read_mask(Reader& reader, MaskRules& rules, MaskMemory& memory) {
    reader.flag("causal", rules.causal);
    reader.window("window", rules.window);
    rules.query_positions = reader.positions("queryPositions", memory.query_positions);
    rules.key_positions = reader.positions("keyPositions", memory.key_positions);
    if (reader.has("allowed")) {
        Broadcast<std::uint8_t> allowed{reader.booleans("allowed", memory.allowed), {}};
        reader.sizes("allowedShape", allowed.shape);
        rules.allowed = std::move(allowed);
    }
    if (reader.has("bias")) {
        Broadcast<float> bias{reader.floats("bias", memory.bias), {}};
        reader.sizes("biasShape", bias.shape);
        rules.bias = std::move(bias);
    }
}

void read_softmax(Reader& reader, Problem& problem) {
    reader.number("scale", problem.scale);
    std::optional<double> softcap;
    reader.number("softcap", softcap);
    problem.softcap = softcap.value_or(0.0);
    if (reader.has("kernel")) {
        std::string kernel;
        reader.word("kernel", kernel);
        reader.keep(kernel_by_name(kernel, problem.kernel));
    }
}

namespace {

void read_all_but_values(Reader& reader, ProblemInput& into) {
    Problem& problem = into.problem;
    read_shape(reader, problem.shape);
    if (reader.has("layout")) {
        std::string layout;
        reader.word("layout", layout);
        reader.keep(layout_by_name(layout, problem.layout));
    }
    read_softmax(reader, problem);
    read_mask(reader, problem.mask, into.mask);
}

void read_model_dims(Reader& reader, std::int64_t& model_dim, std::int64_t& output_dim) {
    reader.count("modelDim", model_dim);
    output_dim = model_dim;
    reader.count("outputDim", output_dim);
}

void read_layer(Reader& reader, LayerInput& into) {
    Layer& layer = into.layer;
    read_shape(reader, layer.attention.shape);
    read_model_dims(reader, layer.model_dim, layer.output_dim);
    read_softmax(reader, layer.attention);
    read_mask(reader, layer.attention.mask, into.mask);
    layer.x = reader.floats("x", into.x);
    if (reader.has("context")) layer.context = reader.floats("context", into.context);
    layer.wq = reader.floats("wq", into.wq);
    layer.wk = reader.floats("wk", into.wk);
    layer.wv = reader.floats("wv", into.wv);
    layer.wo = reader.floats("wo", into.wo);
}

}  // namespace

Status read(const emscripten::val& object, ProblemInput& into) {
    Reader reader(Input::problem, object);
    read_all_but_values(reader, into);
    into.problem.q = reader.floats("q", into.q);
    into.problem.k = reader.floats("k", into.k);
    into.problem.v = reader.floats("v", into.v);
    return reader.status();
}

Status read_without_values(const emscripten::val& object, ProblemInput& into) {
    Reader reader(Input::problem, object);
    read_all_but_values(reader, into);
    into.problem.q = reader.extent("q");
    into.problem.k = reader.extent("k");
    into.problem.v = reader.extent("v");
    return reader.status();
}

Status read(const emscripten::val& object, LayerInput& into) {
    Reader reader(Input::layer, object);
    read_layer(reader, into);
    return reader.status();
}

Status read(const emscripten::val& object, InspectInput& into) {
    Reader reader(Input::inspect, object);
    std::string stage;
    reader.word("stage", stage);
    reader.keep(stage_by_name(stage, into.stage));
    reader.sizes("index", into.index);
    read_layer(reader, into.of);
    return reader.status();
}

Status read(const emscripten::val& object, CostInput& into) {
    Reader reader(Input::cost, object);
    read_shape(reader, into.shape);
    read_mask(reader, into.rules, into.mask);
    reader.count("cacheElementBytes", into.cache_element_bytes);
    return reader.status();
}

Status read(const emscripten::val& object, MaskInput& into) {
    Reader reader(Input::mask, object);
    reader.word("rule", into.mask.rule);
    for (const MaskAmount& amount : mask_amounts()) {
        reader.count(amount.field.data(), into.mask.*amount.value);
    }
    into.mask.documents = reader.positions("documents", into.memory.documents);
    reader.count("queries", into.mask.queries);
    reader.count("keys", into.mask.keys);
    into.mask.query_positions = reader.positions("queryPositions", into.memory.query_positions);
    into.mask.key_positions = reader.positions("keyPositions", into.memory.key_positions);
    return reader.status();
}

Status read(const emscripten::val& object, PresetInput& into) {
    Reader reader(Input::preset, object);
    Preset& preset = into.preset;
    reader.word("preset", preset.name);
    read_shape(reader, preset.shape);
    read_model_dims(reader, preset.model_dim, preset.output_dim);
    reader.count("seed", preset.seed);
    preset.token_ids = reader.positions("tokenIds", into.token_ids);
    return reader.status();
}

}  // namespace attention::bindings
