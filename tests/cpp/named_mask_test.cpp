// named_mask.hpp: rules by name, as the boolean mask of a problem.

#include "attention/named_mask.hpp"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attention/fields.hpp"
#include "support/compare.hpp"
#include "support/paths.hpp"

using namespace support;
using attention::Code;
using attention::NamedMask;
using attention::Status;

namespace {

constexpr const char* rules[] = {"causal",    "window",       "prefix",
                                 "documents", "block-sparse", "dilated"};
const std::vector<std::int32_t> ids = {0, 0, 1, 1, 1, 2, 2, 2, 2};

/// A mask with all that its rule takes.
NamedMask named(const std::string& rule, std::int64_t queries, std::int64_t keys) {
    NamedMask mask;
    mask.rule = rule;
    mask.queries = queries;
    mask.keys = keys;
    if (rule == "window") mask.width = 2;
    if (rule == "prefix") mask.length = 2;
    if (rule == "documents") mask.documents = ids;
    if (rule == "block-sparse") mask.block_size = 2;
    if (rule == "dilated") {
        mask.width = 4;
        mask.dilation = 2;
    }
    return mask;
}

std::vector<std::uint8_t> filled(const NamedMask& mask) {
    std::vector<std::uint8_t> values(static_cast<std::size_t>(attention::mask_size(mask)), 7);
    const Status status = attention::fill_mask(mask, values);
    INFO("rule " << mask.rule);
    REQUIRE(status.message == "");
    return values;
}

std::string picture(const NamedMask& mask) {
    const std::vector<std::uint8_t> values = filled(mask);
    std::string lines;
    for (std::size_t at = 0; at < values.size(); ++at) {
        lines += static_cast<char>('0' + values[at]);
        if ((static_cast<std::int64_t>(at) + 1) % mask.keys == 0) lines += '\n';
    }
    return lines;
}

void check_error(const NamedMask& mask, Code code, const std::string& field,
                 const std::vector<std::string>& fragments) {
    std::vector<std::uint8_t> values(9, 7);
    std::string code_text = "as it was";
    const Status status = attention::fill_mask(mask, values, &code_text);
    INFO("rule " << mask.rule << ", message: " << status.message);
    CHECK(status.code == code);
    CHECK(status.field == field);
    for (const std::string& fragment : fragments) {
        INFO("fragment " << fragment);
        CHECK(status.message.find(fragment) != std::string::npos);
    }
    CHECK(values == std::vector<std::uint8_t>(9, 7));
    CHECK(code_text == "as it was");
}

}  // namespace

TEST_CASE("named mask: each rule drawn", "[named_mask]") {
    CHECK(picture(named("causal", 2, 4)) ==
          "1110\n"
          "1111\n");
    NamedMask window = named("window", 5, 5);
    CHECK(picture(window) ==
          "10000\n"
          "11000\n"
          "01100\n"
          "00110\n"
          "00011\n");
    window.sinks = 1;
    CHECK(picture(window) ==
          "10000\n"
          "11000\n"
          "11100\n"
          "10110\n"
          "10011\n");
    CHECK(picture(named("prefix", 4, 4)) ==
          "1100\n"
          "1100\n"
          "1110\n"
          "1111\n");
    CHECK(picture(named("documents", 5, 6)) ==
          "110000\n"
          "001110\n"
          "001110\n"
          "001110\n"
          "000001\n");
    NamedMask blocks = named("block-sparse", 6, 6);
    CHECK(picture(blocks) ==
          "100000\n"
          "110000\n"
          "001000\n"
          "001100\n"
          "000010\n"
          "000011\n");
    blocks.local_blocks = 2;
    CHECK(picture(blocks) ==
          "100000\n"
          "110000\n"
          "111000\n"
          "111100\n"
          "001110\n"
          "001111\n");
    blocks.local_blocks.reset();
    blocks.global_stride = 1;
    CHECK(picture(blocks) == picture(named("causal", 6, 6)));
    CHECK(picture(named("dilated", 5, 5)) ==
          "10000\n"
          "01000\n"
          "10100\n"
          "01010\n"
          "00101\n");
}

TEST_CASE("named mask: positions, not indices", "[named_mask]") {
    const std::vector<std::int32_t> queries = {2, 0};
    const std::vector<std::int32_t> keys = {1, 0, 5, 2};
    NamedMask mask = named("causal", 2, 4);
    mask.query_positions = queries;
    mask.key_positions = keys;
    CHECK(picture(mask) ==
          "1101\n"
          "0100\n");
    // A cached step sees what the last row of the whole run sees, whatever the rule.
    for (const char* rule : rules) {
        const std::vector<std::uint8_t> whole = filled(named(rule, 9, 9));
        CHECK(filled(named(rule, 1, 9)) == std::vector<std::uint8_t>(whole.end() - 9, whole.end()));
    }
}

TEST_CASE("named mask: as many queries as keys, and none", "[named_mask]") {
    for (const char* rule : rules) {
        CHECK(filled(named(rule, 0, 3)).empty());
        CHECK(filled(named(rule, 3, 0)).empty());
    }
}

TEST_CASE("named mask: a causal mask is the causal rule, a window the window", "[named_mask]") {
    for (const std::int64_t queries : {3, 5, 9}) {
        for (const char* rule : {"causal", "window"}) {
            HeldProblem by_rule =
                normal_problem({.queries = queries, .keys = 5, .head_dim = 4, .value_dim = 4}, 3);
            HeldProblem by_mask = by_rule;
            by_mask.causal = false;
            by_mask.allowed = {filled(named(rule, queries, 5)), {}};
            if (rule == std::string("window")) by_rule.window = {.left = 1, .right = 0};
            for (const attention::Kernel kernel : kernels) {
                INFO("rule " << rule << ", kernel " << attention::name(kernel));
                CHECK(compare::output(by_mask.problem(), solve(by_mask, kernel),
                                      compare::widened(solve(by_rule, kernel)), 1e-6) == "");
            }
        }
    }
}

TEST_CASE("named mask: the code is the predicate's", "[named_mask]") {
    const auto code = [](const NamedMask& mask) {
        std::vector<std::uint8_t> value(1);
        std::string text;
        REQUIRE(attention::fill_mask(mask, value, &text).ok());
        return text;
    };
    CHECK(code(named("causal", 1, 1)) == "key <= query");
    CHECK(code(named("window", 1, 1)) == "key <= query && query - key < 2");
    CHECK(code(named("prefix", 1, 1)) == "key <= query || key < 2");
    CHECK(code(named("documents", 1, 1)) == "documents[query] == documents[key]");
    CHECK(code(named("block-sparse", 1, 1)) ==
          "key <= query && floor(query / 2) - floor(key / 2) < 1");
    CHECK(code(named("dilated", 1, 1)) ==
          "key <= query && query - key < 4 && (query - key) % 2 == 0");
}

TEST_CASE("named mask: what a rule takes, by the table of fields", "[named_mask]") {
    std::string words;
    for (const char* rule : rules) {
        words += words.empty() ? "" : " | ";
        words += "'" + std::string(rule) + "'";
    }
    CHECK(attention::typescript(attention::Input::mask).find("rule: " + words + ";") !=
          std::string::npos);
    for (const attention::MaskAmount& amount : attention::mask_amounts()) {
        INFO(amount.field);
        CHECK(attention::check_field_name(attention::Input::mask, amount.field).ok());
        CHECK((amount.required & ~amount.rules) == 0);
        for (std::size_t at = 0; at < std::size(rules); ++at) {
            NamedMask mask = named(rules[at], 3, 3);
            std::optional<std::int64_t>& value = mask.*amount.value;
            const bool required = (amount.required >> at) & 1;
            CHECK(value.has_value() == required);
            if (required) {
                value.reset();
                check_error(mask, Code::missing_field, std::string(amount.field),
                            {rules[at], "needs " + std::string(amount.field)});
            }
            value = amount.least - 1;
            if ((amount.rules >> at) & 1) {
                check_error(mask, Code::wrong_value, std::string(amount.field),
                            {"at least " + std::to_string(amount.least),
                             "is " + std::to_string(amount.least - 1)});
            } else {
                check_error(mask, Code::unknown_field, std::string(amount.field),
                            {rules[at], "takes no " + std::string(amount.field)});
            }
        }
    }
}

TEST_CASE("named mask: what does not fit", "[named_mask]") {
    check_error(
        named("diagonal", 3, 3), Code::wrong_value, "rule",
        {"'causal', 'window', 'prefix', 'documents', 'block-sparse' or 'dilated'", "'diagonal'"});
    NamedMask mask = named("documents", 3, 3);
    mask.documents.reset();
    check_error(mask, Code::missing_field, "documents", {"The rule 'documents' needs documents"});
    mask = named("causal", 3, 3);
    mask.documents = ids;
    check_error(mask, Code::unknown_field, "documents", {"'causal'", "takes no documents"});

    std::vector<std::uint8_t> values(9, 7);
    const std::vector<std::int32_t> two = {0, 1};
    const auto check_shape = [&](const NamedMask& bad, const std::string& field,
                                 const std::string& needed, const std::string& got) {
        const Status status = attention::fill_mask(bad, values);
        INFO("message: " << status.message);
        CHECK(status.code == Code::wrong_shape);
        CHECK(status.field == field);
        CHECK(status.message.find(needed) != std::string::npos);
        CHECK(status.message.find(got) != std::string::npos);
    };
    check_shape(named("causal", 3, 4), "mask", "12", "9");
    mask = named("causal", 3, 3);
    mask.query_positions = two;
    check_shape(mask, "queryPositions", "3", "2");
    mask.query_positions.reset();
    mask.key_positions = two;
    check_shape(mask, "keyPositions", "3", "2");
    CHECK(values == std::vector<std::uint8_t>(9, 7));
}
