// Bad input: for each kind the code, the field and a sentence that holds what
// was expected and what came. Nothing is written, and the next call works.

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>
#include <vector>

#include "support/bad_problems.hpp"
#include "support/compare.hpp"
#include "support/paths.hpp"

using namespace support;
using attention::Code;
using attention::Status;

namespace {

/// The problem, spoilt, on every kernel: error, untouched output, working next call.
void check_rows(const std::vector<BadProblem>& rows) {
    const HeldProblem good = good_problem();
    const std::vector<float> sentinel(2 * 4 * 3 * 7, 123.25F);
    for (const attention::Kernel kernel : kernels) {
        const std::vector<float> right = solve(good, kernel);
        for (const BadProblem& row : rows) {
            HeldProblem bad = good;
            row.spoil(bad);
            std::vector<float> output = sentinel;
            const Status status = attention::attend(bad.problem(kernel), output);
            INFO(row.what << ", kernel " << attention::name(kernel)
                          << ", message: " << status.message);
            CHECK_FALSE(status.ok());
            CHECK(status.code == row.code);
            CHECK(status.field == row.field);
            CHECK(status.message.find(row.field) != std::string::npos);
            for (const std::string& fragment : row.fragments) {
                INFO("fragment " << fragment);
                CHECK(status.message.find(fragment) != std::string::npos);
            }
            CHECK(output == sentinel);
            CHECK(attention::validate(bad.problem(kernel)).message == status.message);
            CHECK(compare::bits("the next call", solve(good, kernel), right,
                                compare::output_axes(good.problem())) == "");
        }
    }
}

}  // namespace

TEST_CASE("validate: counts and tensors", "[validate]") { check_rows(bad_counts_and_tensors()); }

TEST_CASE("validate: scale, softcap and window", "[validate]") { check_rows(bad_numbers()); }

TEST_CASE("validate: positions and masks", "[validate]") { check_rows(bad_masks()); }

TEST_CASE("validate: an output of the wrong size is left alone", "[validate]") {
    const HeldProblem good = good_problem();
    for (const attention::Kernel kernel : kernels) {
        for (const std::size_t size : {0, 1, 167, 169, 336}) {
            std::vector<float> output(size, 7.0F);
            const Status status = attention::attend(good.problem(kernel), output);
            INFO(status.message);
            CHECK(status.code == Code::wrong_shape);
            CHECK(status.field == "output");
            CHECK(status.message.find("168") != std::string::npos);
            CHECK(status.message.find(std::to_string(size)) != std::string::npos);
            CHECK(output == std::vector<float>(size, 7.0F));
        }
    }
}

TEST_CASE("validate: what is legal although it looks odd", "[validate]") {
    const std::vector<std::pair<const char*, std::function<void(HeldProblem&)>>> rows = {
        {"nothing changed", [](HeldProblem&) {}},
        {"scale 0", [](HeldProblem& p) { p.scale = 0.0; }},
        {"scale negative", [](HeldProblem& p) { p.scale = -3.0; }},
        {"a window that sees only the query", [](HeldProblem& p) { p.window = {0, 0}; }},
        {"a window without limits", [](HeldProblem& p) { p.window.emplace(); }},
        {"a window wider than the sequence", [](HeldProblem& p) { p.window = {1 << 30, 1 << 30}; }},
        {"positions for the batch",
         [](HeldProblem& p) { p.query_positions = std::vector<std::int32_t>(6, -5); }},
        {"a mask of one value", [](HeldProblem& p) { p.allowed = {{0}, {1}}; }},
        {"a mask of full rank",
         [](HeldProblem& p) { p.allowed = {std::vector<std::uint8_t>(120, 1), {2, 4, 3, 5}}; }},
        {"a mask that all share",
         [](HeldProblem& p) { p.bias = {std::vector<float>(5), {1, 1, 1, 5}}; }},
    };
    for (const auto& [what, change] : rows) {
        HeldProblem held = good_problem();
        change(held);
        INFO(what);
        CHECK(attention::validate(held.problem()).message == "");
        CHECK(attention::validate(held.problem()).ok());
        for (const attention::Kernel kernel : kernels) solve(held, kernel);
    }
}

TEST_CASE("validate: without queries there is no work, whatever the other counts", "[validate]") {
    const HeldProblem held = zero_problem({.queries = 0,
                                           .keys = 0,
                                           .head_dim = std::int64_t{1} << 50,
                                           .value_dim = std::int64_t{1} << 50});
    for (const attention::Kernel kernel : kernels) CHECK(solve(held, kernel).empty());
}

TEST_CASE("validate: batch items without tokens cost nothing, however many", "[validate]") {
    // A loop over the batch would not end.
    const HeldProblem held = zero_problem(
        {.batch = std::int64_t{1} << 50, .queries = 0, .keys = 0, .head_dim = 1, .value_dim = 1});
    for (const attention::Kernel kernel : kernels) CHECK(solve(held, kernel).empty());
    CHECK(traced(held).output.empty());
}

TEST_CASE("validate: a sentence reads as one", "[validate]") {
    for (const auto* rows : {&bad_counts_and_tensors(), &bad_numbers(), &bad_masks()}) {
        for (const BadProblem& row : *rows) {
            HeldProblem bad = good_problem();
            row.spoil(bad);
            const std::string message = attention::validate(bad.problem()).message;
            INFO(row.what << ": " << message);
            CHECK(message.size() > 20);
            CHECK(message.size() < 300);
            CHECK(message.find('\n') == std::string::npos);
            CHECK(message.find("  ") == std::string::npos);
        }
    }
}
