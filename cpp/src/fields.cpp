#include "attention/fields.hpp"

#include <cmath>

#include "checked.hpp"
#include "sentence.hpp"

namespace attention {

namespace {

constexpr std::uint8_t bit(Input input) { return std::uint8_t(1U << static_cast<int>(input)); }
constexpr std::uint8_t problem = bit(Input::problem);
constexpr std::uint8_t layer = bit(Input::layer);
constexpr std::uint8_t cost = bit(Input::cost);
constexpr std::uint8_t mask = bit(Input::mask);
constexpr std::uint8_t cache = bit(Input::cache);
constexpr std::uint8_t append = bit(Input::append);
constexpr std::uint8_t decode = bit(Input::decode);

constexpr Field table[] = {
    {"q", Kind::floats,
     "Queries [B, Hq, T, D], or [B, T, Hq * D] with layout 'bthd'; of new tokens [T, Hq * D].",
     problem | decode, problem | decode},
    {"k", Kind::floats, "Keys [B, Hkv, S, D], or [B, S, Hkv * D]; of new tokens [tokens, Hkv * D].",
     problem | append, problem | append},
    {"v", Kind::floats,
     "Values [B, Hkv, S, Dv], or [B, S, Hkv * Dv]; of new tokens [tokens, Hkv * Dv].",
     problem | append, problem | append},
    {"tokens", Kind::count, "How many tokens are appended; 1 if absent.", append, 0},
    {"x", Kind::floats, "Tokens [B, T, M].", layer, layer},
    {"context", Kind::floats, "Tokens [B, S, M] that keys and values come from; x if absent.",
     layer, 0},
    {"wq", Kind::floats, "Query weights [Hq * D, M], rows are outputs.", layer, layer},
    {"wk", Kind::floats, "Key weights [Hkv * D, M].", layer, layer},
    {"wv", Kind::floats, "Value weights [Hkv * Dv, M].", layer, layer},
    {"wo", Kind::floats, "Output weights [N, Hq * Dv].", layer, layer},
    {"batch", Kind::count, "B, 1 if absent.", problem | layer | cost, 0},
    {"queryHeads", Kind::count, "Hq, 1 if absent; a multiple of kvHeads.",
     problem | layer | cost | cache, 0},
    {"kvHeads", Kind::count, "Hkv, as many as queryHeads if absent.",
     problem | layer | cost | cache, 0},
    {"queries", Kind::count, "T; the last T tokens of a KV cache, 1 if absent.",
     problem | layer | cost | mask | decode, problem | layer | cost | mask},
    {"keys", Kind::count, "S. A layer's is queries if absent.", problem | layer | cost | mask,
     problem | cost | mask},
    {"headDim", Kind::count, "D.", problem | layer | cost | cache, problem | layer | cost | cache},
    {"valueDim", Kind::count, "Dv, as long as headDim if absent.", problem | layer | cost | cache,
     0},
    {"modelDim", Kind::count, "M, features of a token.", layer, layer},
    {"outputDim", Kind::count, "N, features of the output; modelDim if absent.", layer, 0},
    {"layout", Kind::word, "How tensors of heads lie in memory; 'bhtd' if absent.", problem, 0,
     "'bhtd' | 'bthd'"},
    {"causal", Kind::flag, "A query sees no later position; true if absent.",
     problem | layer | cost, 0},
    {"queryPositions", Kind::positions, "[T] or [B, T]; the last T of the S positions if absent.",
     problem | layer | cost | mask, 0},
    {"keyPositions", Kind::positions, "[S] or [B, S]; 0 to S - 1 if absent.",
     problem | layer | cost | mask, 0},
    {"window", Kind::window,
     "The last w keys, the query's own among them, or the keys before and after it.",
     problem | layer | cost | decode, 0},
    {"allowed", Kind::booleans, "Boolean mask, true where a query may attend; see allowedShape.",
     problem | layer | cost, 0},
    {"allowedShape", Kind::sizes, "1 to 4 axes that broadcast to [B, Hq, T, S] from the right.",
     problem | layer | cost, 0},
    {"bias", Kind::floats, "Added to the scores; -Infinity hides; see biasShape.",
     problem | layer | cost, 0},
    {"biasShape", Kind::sizes, "1 to 4 axes that broadcast to [B, Hq, T, S] from the right.",
     problem | layer | cost, 0},
    {"scale", Kind::number, "1 / sqrt(D) if absent.", problem | layer | decode, 0},
    {"softcap", Kind::number, "c in c * tanh(score / c); 0 or absent: none.",
     problem | layer | decode, 0},
    {"kernel", Kind::word, "'auto' if absent.", problem | layer | decode, 0,
     "'auto' | 'reference' | 'online' | 'tiled' | 'decode'"},
    {"cacheElementBytes", Kind::count, "Bytes of a number in the KV cache, 1, 2 or 4; 4 if absent.",
     cost, 0},
    {"rule", Kind::word, "Which mask.", mask, mask, "'causal' | 'window' | 'prefix'"},
    {"amount", Kind::count, "Width of the window, or length of the prefix.", mask, 0},
};

std::string list_of_fields(Input input) {
    std::string list;
    for (const Field& field : table) {
        if (!field.in(input)) continue;
        if (!list.empty()) list += ", ";
        list += field.name;
    }
    return list;
}

const Field* find(std::string_view name) {
    for (const Field& field : table) {
        if (field.name == name) return &field;
    }
    return nullptr;
}

std::string_view typescript(const Field& field) {
    switch (field.kind) {
        case Kind::floats: return "ArrayLike<number> | readonly (readonly unknown[])[]";
        case Kind::positions: return "ArrayLike<number> | readonly (readonly number[])[]";
        case Kind::booleans:
            return "ArrayLike<number> | readonly boolean[] | readonly (readonly unknown[])[]";
        case Kind::sizes: return "readonly number[]";
        case Kind::window:
            return "number | { left?: number | undefined; right?: number | undefined }";
        case Kind::count:
        case Kind::number: return "number";
        case Kind::flag: return "boolean";
        case Kind::word: return field.words;
    }
    return "unknown";
}

std::string quoted(std::string_view word) { return join({"'", word, "'"}); }

template <class Predicate>
void fill_at(const Predicate& sees, const NamedMask& m, std::span<std::uint8_t> into) {
    std::size_t at = 0;
    for (std::int64_t i = 0; i < m.queries; ++i) {
        const std::int64_t query =
            m.query_positions ? (*m.query_positions)[i] : m.keys - m.queries + i;
        for (std::int64_t j = 0; j < m.keys; ++j) {
            const std::int64_t key = m.key_positions ? (*m.key_positions)[j] : j;
            into[at++] = sees(query, key) ? 1 : 0;
        }
    }
}

}  // namespace

std::span<const Field> fields() { return table; }

std::string_view name(Kind kind) {
    switch (kind) {
        case Kind::floats: return "floats";
        case Kind::positions: return "positions";
        case Kind::booleans: return "booleans";
        case Kind::sizes: return "sizes";
        case Kind::window: return "window";
        case Kind::count: return "count";
        case Kind::number: return "number";
        case Kind::flag: return "flag";
        case Kind::word: return "word";
    }
    return "unknown";
}

std::string_view expectation(Kind kind) {
    switch (kind) {
        case Kind::floats: return "an array of numbers";
        case Kind::positions: return "an array of whole numbers";
        case Kind::booleans:
            return "an array of booleans, or of 0 and 1 (an additive float mask belongs into bias)";
        case Kind::sizes: return "an array of axes";
        case Kind::window: return "a number or an object { left, right }";
        case Kind::count:
        case Kind::number: return "a number";
        case Kind::flag: return "true or false";
        case Kind::word: return "a text";
    }
    return "something else";
}

std::string typescript(Input input) {
    std::string text = "{\n";
    for (const Field& field : table) {
        if (!field.in(input)) continue;
        text += join({"  /** ", field.says, " */\n  ", field.name,
                      field.required_in(input) ? ": " : "?: ", typescript(field),
                      field.required_in(input) ? ";\n" : " | undefined;\n"});
    }
    return text + "}";
}

std::string_view name(Input input) {
    switch (input) {
        case Input::problem: return "a problem";
        case Input::layer: return "a layer";
        case Input::cost: return "a cost";
        case Input::mask: return "a mask";
        case Input::cache: return "a KV cache";
        case Input::append: return "an appended run of tokens";
        case Input::decode: return "a decoding step";
    }
    return "an input";
}

Status check_field_name(Input input, std::string_view field) {
    for (const Field& known : table) {
        if (known.in(input) && known.name == field) return {};
    }
    return error(Code::unknown_field, field,
                 join({name(input), " has no field ", quoted(field), "; its fields are ",
                       list_of_fields(input)}));
}

Status missing(Input input, std::string_view field) {
    const Field* known = find(field);
    return error(Code::missing_field, field,
                 join({field, " is missing from ", name(input), ": ", known ? known->says : ""}));
}

Status wrong_type(std::string_view field, std::string_view got) {
    const Field* known = find(field);
    return error(Code::wrong_type, field,
                 join({field, " must be ", known ? expectation(known->kind) : "an object",
                       ", but is ", got}));
}

Status wrong_element(std::string_view field, std::int64_t index, std::string_view got) {
    const Field* known = find(field);
    return error(Code::wrong_type, field,
                 join({field, " must be ", known ? expectation(known->kind) : "an object",
                       ", but its value ", std::to_string(index), " is ", got}));
}

Status unavailable(std::string_view what, std::string_view instead) {
    return error(Code::unavailable, "", join({what, " is not part of this version; ", instead}));
}

Status worker_died(std::string_view reason) {
    return error(Code::worker_died, "",
                 join({"A worker ended before its part of the problem was done, and so did the one "
                       "that took over (",
                       reason, "); the next call works"}));
}

Status whole_number(std::string_view field, double value, std::int64_t least, std::int64_t& into) {
    constexpr double most = 9007199254740992.0;  // 2^53: beyond it doubles skip whole numbers
    if (value > most) return wrong_value(field, "a whole number of at most 2^53", text(value));
    if (value != std::floor(value) || value < static_cast<double>(least)) {
        return wrong_value(field, join({"a whole number of at least ", std::to_string(least)}),
                           text(value));
    }
    into = static_cast<std::int64_t>(value);
    return {};
}

Status position(std::string_view field, double value, std::int32_t& into) {
    if (value != std::floor(value) || value < -2147483648.0 || value > 2147483647.0) {
        return wrong_value(field, "whole numbers within 32 bits", text(value));
    }
    into = static_cast<std::int32_t>(value);
    return {};
}

Status window_of_width(double width, Window& into) {
    std::int64_t keys = 0;
    if (!whole_number("window", width, 1, keys).ok()) {
        return wrong_value("window",
                           "a whole number of at least 1, for the query's own key counts, or an "
                           "object { left, right }",
                           text(width));
    }
    into = {keys - 1, 0};
    return {};
}

Status layout_by_name(std::string_view word, Layout& into) {
    if (word == "bhtd") {
        into = Layout::bhtd;
    } else if (word == "bthd") {
        into = Layout::bthd;
    } else {
        return wrong_value("layout", "'bhtd' or 'bthd'", quoted(word));
    }
    return {};
}

Status kernel_by_name(std::string_view word, Kernel& into) {
    for (const Kernel kernel :
         {Kernel::automatic, Kernel::reference, Kernel::online, Kernel::tiled, Kernel::decode}) {
        if (word != name(kernel)) continue;
        into = kernel;
        return {};
    }
    return wrong_value("kernel", "'auto', 'reference', 'online', 'tiled' or 'decode'",
                       quoted(word));
}

std::int64_t mask_size(const NamedMask& m) { return saturating_product({m.queries, m.keys}); }

Status fill_mask(const NamedMask& m, std::span<std::uint8_t> into) {
    const auto size = [](const auto& values) { return static_cast<std::int64_t>(values.size()); };
    if (m.query_positions) {
        if (Status status =
                check_size("queryPositions", "[T]", {m.queries}, size(*m.query_positions));
            !status.ok()) {
            return status;
        }
    }
    if (m.key_positions) {
        if (Status status = check_size("keyPositions", "[S]", {m.keys}, size(*m.key_positions));
            !status.ok()) {
            return status;
        }
    }
    if (Status status = check_size("mask", "[T, S]", {m.queries, m.keys}, size(into));
        !status.ok()) {
        return status;
    }
    if (m.rule == "causal") {
        fill_at(predicate::Causal{}, m, into);
    } else if (m.rule == "window") {
        if (m.amount < 1) {
            return wrong_value("amount", "a whole number of at least 1", std::to_string(m.amount));
        }
        fill_at(predicate::SlidingWindow{m.amount}, m, into);
    } else if (m.rule == "prefix") {
        if (m.amount < 0) {
            return wrong_value("amount", "a whole number of at least 0", std::to_string(m.amount));
        }
        fill_at(predicate::either(predicate::Prefix{m.amount}, predicate::Causal{}), m, into);
    } else {
        return wrong_value("rule", "'causal', 'window' or 'prefix'", quoted(m.rule));
    }
    return {};
}

}  // namespace attention
