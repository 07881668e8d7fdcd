#include "results.hpp"

namespace attention::bindings {

using emscripten::val;

void put(val& object, const char* name, double value) { object.set(key(name), value); }

void put(val& object, const char* name, std::string_view text) {
    object.set(key(name), std::string(text));
}

void put(val& object, const char* name, const val& value) { object.set(key(name), value); }

val failure(const Status& status) {
    val inner = val::object();
    put(inner, "code", name(status.code));
    put(inner, "field", status.field);
    put(inner, "message", status.message);
    val outer = val::object();
    put(outer, "error", inner);
    return outer;
}

val sizes(std::initializer_list<std::int64_t> axes) {
    return sizes(std::span(axes.begin(), axes.size()));
}

val sizes(std::span<const std::int64_t> axes) {
    val list = val::array();
    int at = 0;
    for (const std::int64_t axis : axes) list.set(at++, static_cast<double>(axis));
    return list;
}

val result_of(std::span<const float> output, val shape, const CopyOut& copy_out) {
    val object = val::object();
    put(object, copy_out, "output", output);
    put(object, "shape", shape);
    return object;
}

val shape_object(const Problem& problem) {
    const Shape& s = problem.shape;
    val object = val::object();
    put(object, "batch", static_cast<double>(s.batch));
    put(object, "queryHeads", static_cast<double>(s.query_heads));
    put(object, "kvHeads", static_cast<double>(s.kv_heads));
    put(object, "queries", static_cast<double>(s.queries));
    put(object, "keys", static_cast<double>(s.keys));
    put(object, "headDim", static_cast<double>(s.head_dim));
    put(object, "valueDim", static_cast<double>(s.value_dim));
    put(object, "headsFirst", problem.layout == Layout::bhtd);
    return object;
}

Status reserve_output(Buffer<float>& output, std::int64_t size) {
    if (output.reserve(size)) return {};
    return out_of_memory(sentence("% values of output", {size}));
}

}  // namespace attention::bindings
