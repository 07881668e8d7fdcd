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
EMSCRIPTEN_DECLARE_VAL_TYPE(CopyOut)

#define FAILURE_TYPE "{ error: { code: string; field: string; message: string } }"

/// Sets a property. One function for each kind of value: with Embind's own, the code of
/// the dozens of properties would be half of the marshalling. `name` as for key().
void put(emscripten::val& object, const char* name, double value);
void put(emscripten::val& object, const char* name, std::string_view text);
void put(emscripten::val& object, const char* name, const emscripten::val& value);

emscripten::val failure(const Status& status);

/// A JavaScript array of the sizes of axes.
emscripten::val sizes(std::span<const std::int64_t> axes);
emscripten::val sizes(std::initializer_list<std::int64_t> axes);

/// Sets a property to a copy that JavaScript makes: `copy_out` gets the name and a view of
/// the values, and gives the array that has them then, a new one or one of the caller's.
template <class Value>
void put(emscripten::val& object, const CopyOut& copy_out, const char* name,
         std::span<const Value> values) {
    const emscripten::val view(emscripten::typed_memory_view(values.size(), values.data()));
    put(object, name, copy_out(key(name), view));
}

template <class Value>
void put(emscripten::val& object, const CopyOut& copy_out, const char* name,
         const std::vector<Value>& values) {
    put(object, copy_out, name, std::span<const Value>(values));
}

/// { output, shape }
emscripten::val result_of(std::span<const float> output, emscripten::val shape,
                          const CopyOut& copy_out);

/// The counts of a problem, with all defaults filled in.
emscripten::val shape_object(const Problem& problem);
#define SHAPE_TYPE                                                           \
    "{ batch: number; queryHeads: number; kvHeads: number; queries: number;" \
    " keys: number; headDim: number; valueDim: number; headsFirst: boolean }"

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

/// Whether this is the build that Emscripten reads the declarations from. The texts of
/// the types are in no other: no visitor has to fetch them.
#ifdef ATTENTION_DECLARATIONS
inline constexpr bool has_declarations = true;
#else
inline constexpr bool has_declarations = false;
#endif

template <class Type>
void declare(const char* text) {
    emscripten::register_type<Type>(has_declarations ? text : "");
}

template <class Type>
void declare(Input input) {
    if constexpr (has_declarations) {
        static const std::string text = typescript(input);
        declare<Type>(text.c_str());
    } else {
        declare<Type>("");
    }
}

}  // namespace attention::bindings
