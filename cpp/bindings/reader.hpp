// Reads a JavaScript object field by field, by the table of fields.hpp.
#pragma once

#include <emscripten/val.h>

#include <optional>
#include <string_view>

#include "attention/fields.hpp"
#include "buffer.hpp"

namespace attention::bindings {

/// Remembers the first thing that does not fit; after that every call leaves
/// what it was to fill as it is. An absent field (undefined) does so too.
///
/// Relies on the TypeScript side (marshal.ts) for this: all field names are known
/// ones, and every array of numbers or booleans is a typed array.
class Reader {
public:
    Reader(Input input, emscripten::val object);

    const Status& status() const { return status_; }
    bool has(const char* field) const;

    void count(const char* field, std::int64_t& into);
    void count(const char* field, std::optional<std::int64_t>& into);
    void number(const char* field, std::optional<double>& into);
    void flag(const char* field, bool& into);
    void word(const char* field, std::string& into);
    void sizes(const char* field, std::vector<std::int64_t>& into);
    void window(const char* field, std::optional<Window>& into);

    /// The array's values, copied once in bulk into `memory`.
    std::span<const float> floats(const char* field, Buffer<float>& memory);
    std::optional<std::span<const std::int32_t>> positions(const char* field,
                                                           Buffer<std::int32_t>& memory);
    std::span<const std::uint8_t> booleans(const char* field, Buffer<std::uint8_t>& memory);

    /// As many values as floats() would give, none of which may be read.
    std::span<const float> extent(const char* field);

    /// Takes over what a core function said.
    void keep(Status status);

private:
    /// The field's value, or undefined once something has failed.
    emscripten::val get(const char* field);
    void whole(const char* field, const emscripten::val& value, std::int64_t least,
               std::int64_t& into);
    template <class Value>
    std::span<const Value> copy(const char* field, Buffer<Value>& memory);

    emscripten::val object_;
    Status status_;
};

/// The JavaScript string of a literal. Made once for each, because a call reads
/// and writes dozens of properties: `name` must be a string literal.
const emscripten::val& key(const char* name);

/// A JavaScript value in the words of a sentence: undefined, 'a text', an object.
std::string describe(const emscripten::val& value);

}  // namespace attention::bindings
