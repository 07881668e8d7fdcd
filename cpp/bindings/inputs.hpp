// The core's inputs read from JavaScript objects, with the memory behind them.
#pragma once

#include "attention/cost.hpp"
#include "attention/fields.hpp"
#include "attention/inspect.hpp"
#include "attention/named_mask.hpp"
#include "attention/preset.hpp"
#include "buffer.hpp"
#include "reader.hpp"

namespace attention::bindings {

/// Mask rules and what they point to.
struct MaskMemory {
    Buffer<std::int32_t> query_positions;
    Buffer<std::int32_t> key_positions;
    Buffer<std::uint8_t> allowed;
    Buffer<float> bias;
};

struct ProblemInput {
    Problem problem;
    MaskMemory mask;
    Buffer<float> q;
    Buffer<float> k;
    Buffer<float> v;
};

struct LayerInput {
    Layer layer;
    MaskMemory mask;
    Buffer<float> x;
    Buffer<float> context;
    Buffer<float> wq;
    Buffer<float> wk;
    Buffer<float> wv;
    Buffer<float> wo;
};

struct InspectInput {
    LayerInput of;
    Stage stage = Stage::x;
    std::vector<std::int64_t> index;
};

struct CostInput {
    Shape shape;
    MaskRules rules;
    MaskMemory mask;
    std::int64_t cache_element_bytes = 4;
};

struct MaskInput {
    NamedMask mask;
    struct {
        Buffer<std::int32_t> documents;
        Buffer<std::int32_t> query_positions;
        Buffer<std::int32_t> key_positions;
    } memory;
};

struct PresetInput {
    Preset preset;
    Buffer<std::int32_t> token_ids;
};

/// The parts that several inputs have in common.
void read_shape(Reader& reader, Shape& shape);
void read_mask(Reader& reader, MaskRules& rules, MaskMemory& memory);
void read_softmax(Reader& reader, Problem& problem);

Status read(const emscripten::val& object, ProblemInput& into);
/// The same, but of q, k and v only how many values they have.
Status read_without_values(const emscripten::val& object, ProblemInput& into);
Status read(const emscripten::val& object, LayerInput& into);
Status read(const emscripten::val& object, InspectInput& into);
Status read(const emscripten::val& object, CostInput& into);
Status read(const emscripten::val& object, MaskInput& into);
Status read(const emscripten::val& object, PresetInput& into);

}  // namespace attention::bindings
