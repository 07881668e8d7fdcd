#include "attention/fields.hpp"

#include <array>
#include <cmath>

#include "checked.hpp"
#include "sentence.hpp"

namespace attention {

namespace {

constexpr std::uint16_t bit(Input input) { return std::uint16_t(1U << static_cast<int>(input)); }
constexpr std::uint16_t problem = bit(Input::problem);
constexpr std::uint16_t preset = bit(Input::preset);
constexpr std::uint16_t inspect = bit(Input::inspect);
constexpr std::uint16_t layer = bit(Input::layer) | inspect;
constexpr std::uint16_t cost = bit(Input::cost);
constexpr std::uint16_t mask = bit(Input::mask);
constexpr std::uint16_t cache = bit(Input::cache);
constexpr std::uint16_t append = bit(Input::append);
constexpr std::uint16_t decode = bit(Input::decode);

/// A field, with what is said of it where its type is declared.
struct Row {
    std::string_view name;
    Kind kind;
    std::string_view says;   // one line of documentation
    std::uint16_t inputs;    // a bit for each Input that has the field
    std::uint16_t required;  // a bit for each Input that cannot do without it
    // Stated, so that the table need not say "none" for every other field.
    // NOLINTNEXTLINE(readability-redundant-member-init)
    std::string_view words = {};  // TypeScript's union of the names that a word may be
};

constexpr Row rows[] = {
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
    {"batch", Kind::count, "B, 1 if absent.", problem | layer | cost | preset, 0},
    {"queryHeads", Kind::count, "Hq, 1 if absent; a multiple of kvHeads.",
     problem | layer | cost | cache | preset, 0},
    {"kvHeads", Kind::count, "Hkv, as many as queryHeads if absent.",
     problem | layer | cost | cache | preset, 0},
    {"queries", Kind::count, "T; the last T tokens of a KV cache, 1 if absent.",
     problem | layer | cost | mask | decode | preset, problem | layer | cost | mask | preset},
    {"keys", Kind::count, "S. A layer's is queries if absent.",
     problem | layer | cost | mask | preset, problem | cost | mask},
    {"headDim", Kind::count, "D.", problem | layer | cost | cache | preset,
     problem | layer | cost | cache | preset},
    {"valueDim", Kind::count, "Dv, as long as headDim if absent.",
     problem | layer | cost | cache | preset, 0},
    {"modelDim", Kind::count, "M, features of a token.", layer | preset, layer | preset},
    {"outputDim", Kind::count, "N, features of the output; modelDim if absent.", layer | preset, 0},
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
    {"stage", Kind::word, "Which stage of the layer the cell is in.", inspect, inspect,
     "'x' | 'context' | 'wq' | 'wk' | 'wv' | 'wo' | 'q' | 'k' | 'v' | 'dots' | 'scores' | 'capped'"
     " | 'masked' | 'weights' | 'mixed' | 'merged' | 'output'"},
    {"index", Kind::sizes, "The cell: an index for each axis of the stage.", inspect, inspect},
    {"preset", Kind::word, "Which numbers.", preset, preset,
     "'identity' | 'zero' | 'random' | 'previous-token' | 'first-token' | 'same-token'"},
    {"seed", Kind::count, "Of random numbers; 0 if absent.", preset, 0},
    {"tokenIds", Kind::positions, "[S], equal for tokens that count as the same.", preset, 0},
    {"rule", Kind::word, "Which mask.", mask, mask,
     "'causal' | 'window' | 'prefix' | 'documents' | 'block-sparse' | 'dilated'"},
    {"width", Kind::count,
     "Positions that a window or a dilated window reaches, the query's own first.", mask, 0},
    {"sinks", Kind::count, "First positions that stay visible beside the window; 0 if absent.",
     mask, 0},
    {"length", Kind::count, "Positions of the prefix.", mask, 0},
    {"documents", Kind::positions, "The document of each position from 0 on, as numbers.", mask, 0},
    {"blockSize", Kind::count, "Positions of a block.", mask, 0},
    {"localBlocks", Kind::count, "Blocks that a query sees, its own among them; 1 if absent.", mask,
     0},
    {"globalStride", Kind::count, "The last of every so many blocks is visible; none if absent.",
     mask, 0},
    {"dilation", Kind::count, "Step from one visible position to the next.", mask, 0},
};

/// The rows without the texts that no sentence needs: a program that declares no types
/// does not carry them.
constexpr auto table = [] {
    std::array<Field, std::size(rows)> fields{};
    for (std::size_t at = 0; at < fields.size(); ++at) {
        const Row& row = rows[at];
        fields[at] = {row.name, row.kind, row.required != 0 ? row.says : "", row.inputs,
                      row.required};
    }
    return fields;
}();

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

std::string_view typescript(const Row& row) {
    switch (row.kind) {
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
        case Kind::word: return row.words;
    }
    return "unknown";
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
        case Kind::sizes: return "an array of whole numbers";
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
    for (std::size_t at = 0; at < table.size(); ++at) {
        if (!table[at].in(input)) continue;
        const bool required = table[at].required_in(input);
        text += sentence("  /** % */\n  %%%%", {rows[at].says, rows[at].name,
                                                required ? ": " : "?: ", typescript(rows[at]),
                                                required ? ";\n" : " | undefined;\n"});
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
        case Input::inspect: return "an inspected layer";
        case Input::preset: return "a preset";
    }
    return "an input";
}

Status check_field_name(Input input, std::string_view field) {
    for (const Field& known : table) {
        if (known.in(input) && known.name == field) return {};
    }
    return error(Code::unknown_field, field, "% has no field '%'; its fields are %",
                 {name(input), field, list_of_fields(input)});
}

Status missing(Input input, std::string_view field) {
    const Field* known = find(field);
    return error(Code::missing_field, field, "% is missing from %: %",
                 {field, name(input), known ? known->says : ""});
}

Status wrong_type(std::string_view field, std::string_view got) {
    const Field* known = find(field);
    return error(Code::wrong_type, field, "% must be %, but is %",
                 {field, known ? expectation(known->kind) : "an object", got});
}

Status wrong_element(std::string_view field, std::int64_t index, std::string_view got) {
    const Field* known = find(field);
    return error(Code::wrong_type, field, "% must be %, but its value % is %",
                 {field, known ? expectation(known->kind) : "an object", index, got});
}

Status unavailable(std::string_view what, std::string_view instead) {
    return error(Code::unavailable, "", "% is not part of this version; %", {what, instead});
}

Status worker_died(std::string_view reason) {
    return error(Code::worker_died, "",
                 "A worker ended before its part of the problem was done, and so did the one that "
                 "took over (%); the next call works",
                 {reason});
}

Status whole_number(std::string_view field, double value, std::int64_t least, std::int64_t& into) {
    constexpr double most = 9007199254740992.0;  // 2^53: beyond it doubles skip whole numbers
    if (value > most) return wrong_value(field, "a whole number of at most 2^53", text(value));
    if (value != std::floor(value) || value < static_cast<double>(least)) {
        return too_small(field, least, text(value));
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
    constexpr std::string_view names[] = {"bhtd", "bthd"};  // in the order of Layout
    int found = 0;
    Status status = find_name("layout", names, word, found);
    if (status.ok()) into = static_cast<Layout>(found);
    return status;
}

Status kernel_by_name(std::string_view word, Kernel& into) {
    constexpr auto count = static_cast<int>(Kernel::decode) + 1;
    std::string_view names[count];
    for (int at = 0; at < count; ++at) names[at] = name(static_cast<Kernel>(at));
    int found = 0;
    Status status = find_name("kernel", names, word, found);
    if (status.ok()) into = static_cast<Kernel>(found);
    return status;
}

}  // namespace attention
