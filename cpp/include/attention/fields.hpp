// The inputs of the library as other languages state them: field names, what
// each may hold, and the rules that only a loosely typed caller can break (a
// count of 2.5, a word where a number belongs, a name that nothing has).
//
// A binding reads an object by this table and asks this file for the sentence
// when something does not fit. The TypeScript types are generated from it too.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "attention/attention.hpp"

namespace attention {

/// The objects that a caller states.
enum class Input : std::uint8_t {
    problem,  ///< attend(), trace()
    layer,    ///< the multi-head layer
    cost,     ///< cost()
    mask,     ///< a mask by name
    cache,    ///< KvCache()
    append,   ///< KvCache::append()
    decode,   ///< KvCache::attend()
    inspect,  ///< inspect(): a layer and one of its cells
    preset,   ///< fill_layer()
};

/// What a field holds. A binding reads an object by it.
enum class Kind : std::uint8_t {
    floats,     ///< numbers, copied as float32
    positions,  ///< whole numbers within 32 bits
    booleans,
    sizes,  ///< whole numbers from 0 on: the axes of a shape, the indices of a cell
    window,
    count,
    number,
    flag,
    word,  ///< one of a few names
};

/// The kind as a binding spells it, e.g. "floats".
std::string_view name(Kind kind);

/// What values a kind takes, in the words of a sentence.
std::string_view expectation(Kind kind);

/// One field.
struct Field {
    std::string_view name;
    Kind kind;
    std::string_view says;   ///< what it is, of a field that some input cannot do without
    std::uint16_t inputs;    ///< a bit for each Input that has the field
    std::uint16_t required;  ///< a bit for each Input that cannot do without it

    bool in(Input input) const { return (inputs >> static_cast<int>(input)) & 1; }
    bool required_in(Input input) const { return (required >> static_cast<int>(input)) & 1; }
};

/// Every field there is.
std::span<const Field> fields();

/// The TypeScript type of an input, with its documentation.
std::string typescript(Input input);

/// What an input is called in a sentence, e.g. "a problem".
std::string_view name(Input input);

Status check_field_name(Input input, std::string_view field);
Status missing(Input input, std::string_view field);
/// A value of another kind than the field's; `got` describes it.
Status wrong_type(std::string_view field, std::string_view got);
/// The same of one element of an array.
Status wrong_element(std::string_view field, std::int64_t index, std::string_view got);
Status unavailable(std::string_view what, std::string_view instead);

/// A part of a problem that ended two workers; `reason` is what the last one said.
Status worker_died(std::string_view reason);

/// A number from outside as a count. Errors: wrong_value unless it is whole, at
/// least `least`, and within 2^53.
Status whole_number(std::string_view field, double value, std::int64_t least, std::int64_t& into);

/// A position: whole, and within 32 bits.
Status position(std::string_view field, double value, std::int32_t& into);

/// A window of `width` keys, the query's own among them: {width - 1, 0}.
Status window_of_width(double width, Window& into);

Status layout_by_name(std::string_view word, Layout& into);
Status kernel_by_name(std::string_view word, Kernel& into);

}  // namespace attention
