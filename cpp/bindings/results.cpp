#include "results.hpp"

namespace attention::bindings {

using emscripten::val;

val failure(const Status& status) {
    val inner = val::object();
    inner.set(key("code"), std::string(name(status.code)));
    inner.set(key("field"), status.field);
    inner.set(key("message"), status.message);
    val outer = val::object();
    outer.set(key("error"), inner);
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

val result_of(std::span<const float> output, val shape) {
    val object = val::object();
    object.set(key("output"), copy(output.data(), output.size()));
    object.set(key("shape"), shape);
    return object;
}

Status reserve_output(Buffer<float>& output, std::int64_t size) {
    if (output.reserve(size)) return {};
    return out_of_memory(std::to_string(size) + " values of output");
}

}  // namespace attention::bindings
