#include "attention/named_mask.hpp"

#include "attention/fields.hpp"
#include "checked.hpp"
#include "sentence.hpp"

namespace attention {

namespace {

enum Rule : std::uint8_t { causal, window, prefix, documents, block_sparse, dilated };
constexpr std::string_view rules[] = {"causal",    "window",       "prefix",
                                      "documents", "block-sparse", "dilated"};

constexpr std::uint8_t bit(int rule) { return std::uint8_t(1U << rule); }

constexpr MaskAmount amounts[] = {
    {"width", &NamedMask::width, 1, bit(window) | bit(dilated), bit(window) | bit(dilated)},
    {"sinks", &NamedMask::sinks, 0, bit(window), 0},
    {"length", &NamedMask::length, 0, bit(prefix), bit(prefix)},
    {"blockSize", &NamedMask::block_size, 1, bit(block_sparse), bit(block_sparse)},
    {"localBlocks", &NamedMask::local_blocks, 1, bit(block_sparse), 0},
    {"globalStride", &NamedMask::global_stride, 1, bit(block_sparse), 0},
    {"dilation", &NamedMask::dilation, 1, bit(dilated), bit(dilated)},
};

/// Whether a rule has what it needs and nothing that it does not take.
Status check_given(std::string_view field, std::string_view rule, bool given, bool taken,
                   bool required) {
    if (given ? taken : !required) return {};
    return error(given ? Code::unknown_field : Code::missing_field, field,
                 given ? "The rule '%' takes no %" : "The rule '%' needs %", {rule, field});
}

Status check_amounts(const NamedMask& m, int rule) {
    Status status = check_given("documents", m.rule, m.documents.has_value(), rule == documents,
                                rule == documents);
    for (const MaskAmount& amount : amounts) {
        const std::optional<std::int64_t>& value = m.*amount.value;
        if (status.ok()) {
            status = check_given(amount.field, m.rule, value.has_value(), amount.rules & bit(rule),
                                 amount.required & bit(rule));
        }
        std::int64_t same = 0;
        if (status.ok() && value) {
            status = whole_number(amount.field, static_cast<double>(*value), amount.least, same);
        }
    }
    return status;
}

/// Any predicate: one loop in the program serves them all.
struct AnyPredicate {
    const void* self;
    bool (*sees)(const void* self, std::int64_t query, std::int64_t key);
    std::string (*code)(const void* self);

    template <class Predicate>
    explicit AnyPredicate(const Predicate& predicate)
        : self(&predicate),
          sees([](const void* it, std::int64_t query, std::int64_t key) {
              return (*static_cast<const Predicate*>(it))(query, key);
          }),
          code([](const void* it) { return static_cast<const Predicate*>(it)->code(); }) {}
};

void fill(const NamedMask& m, const AnyPredicate& predicate, std::span<std::uint8_t> into,
          std::string* code) {
    if (code) *code = predicate.code(predicate.self);
    std::size_t at = 0;
    for (std::int64_t i = 0; i < m.queries; ++i) {
        const std::int64_t query =
            m.query_positions ? (*m.query_positions)[i] : m.keys - m.queries + i;
        for (std::int64_t j = 0; j < m.keys; ++j) {
            const std::int64_t key = m.key_positions ? (*m.key_positions)[j] : j;
            into[at++] = predicate.sees(predicate.self, query, key) ? 1 : 0;
        }
    }
}

}  // namespace

std::span<const MaskAmount> mask_amounts() { return amounts; }

std::int64_t mask_size(const NamedMask& m) { return saturating_product({m.queries, m.keys}); }

Status fill_mask(const NamedMask& m, std::span<std::uint8_t> into, std::string* code) {
    const auto size = [](const auto& values) { return static_cast<std::int64_t>(values.size()); };
    int rule = 0;
    Status status = find_name("rule", rules, m.rule, rule);
    if (status.ok()) status = check_amounts(m, rule);
    if (status.ok() && m.query_positions) {
        status = check_size("queryPositions", "[T]", {m.queries}, size(*m.query_positions));
    }
    if (status.ok() && m.key_positions) {
        status = check_size("keyPositions", "[S]", {m.keys}, size(*m.key_positions));
    }
    if (status.ok()) status = check_size("mask", "[T, S]", {m.queries, m.keys}, size(into));
    if (!status.ok()) return status;

    const auto with = [&](const auto& predicate) { fill(m, AnyPredicate(predicate), into, code); };
    using namespace predicate;
    // That a rule has the amounts that it needs was checked above.
    // NOLINTBEGIN(bugprone-unchecked-optional-access)
    switch (rule) {
        case causal: with(Causal{}); break;
        case window: with(SlidingWindow{*m.width, m.sinks.value_or(0)}); break;
        case prefix: with(either(Causal{}, Prefix{*m.length})); break;
        case documents: with(Documents{*m.documents}); break;
        case block_sparse:
            with(BlockSparse{*m.block_size, m.local_blocks.value_or(1),
                             m.global_stride.value_or(0)});
            break;
        default: with(Dilated{*m.width, *m.dilation});
    }
    // NOLINTEND(bugprone-unchecked-optional-access)
    return {};
}

}  // namespace attention
