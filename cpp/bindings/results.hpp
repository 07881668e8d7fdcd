// JavaScript results: copies of the core's values, or { error }.
#pragma once

#include <emscripten/bind.h>

#include "attention/fields.hpp"
#include "buffer.hpp"
#include "reader.hpp"

namespace attention::bindings {

// The declarations of these are in module.cpp.
EMSCRIPTEN_DECLARE_VAL_TYPE(AttendResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(Failure)

#define FAILURE_TYPE "{ error: { code: string; field: string; message: string } }"

emscripten::val failure(const Status& status);

/// A JavaScript array of the sizes of axes.
emscripten::val sizes(std::span<const std::int64_t> axes);
emscripten::val sizes(std::initializer_list<std::int64_t> axes);

/// { output, shape }
emscripten::val result_of(std::span<const float> output, emscripten::val shape);

/// Memory for `size` values of output, or an error that says how many it was.
Status reserve_output(Buffer<float>& output, std::int64_t size);

/// A typed array of its own, copied in bulk.
template <class Value>
emscripten::val copy(const Value* values, std::size_t size) {
    return emscripten::val(emscripten::typed_memory_view(size, values))
        .template call<emscripten::val>("slice");
}

template <class Value>
emscripten::val copy(const std::vector<Value>& values) {
    return copy(values.data(), values.size());
}

template <class Type>
void declare(const char* text) {
    emscripten::register_type<Type>(text);
}

/// The texts live as long as the program: Embind keeps the pointers.
template <class Type>
void declare(Input input) {
    static const std::string text = typescript(input);
    emscripten::register_type<Type>(text.c_str());
}

}  // namespace attention::bindings
