// fields.hpp: inputs as a loosely typed caller states them, and their sentences.

#include "attention/fields.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/paths.hpp"

using namespace support;
using attention::Code;
using attention::Field;
using attention::Input;
using attention::Status;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr Input inputs[] = {Input::problem, Input::layer, Input::cost, Input::mask};

std::set<std::string> names_of(Input input, bool required_only) {
    std::set<std::string> names;
    for (const Field& field : attention::fields()) {
        if (required_only ? field.required_in(input) : field.in(input)) {
            names.emplace(field.name);
        }
    }
    return names;
}

void check_error(const Status& status, Code code, const std::string& field,
                 const std::vector<std::string>& fragments) {
    INFO("message: " << status.message);
    CHECK(status.code == code);
    CHECK(status.field == field);
    for (const std::string& fragment : fragments) {
        INFO("fragment " << fragment);
        CHECK(status.message.find(fragment) != std::string::npos);
    }
}

}  // namespace

TEST_CASE("fields: a problem has the fields of the contract", "[fields]") {
    CHECK(names_of(Input::problem, false) == std::set<std::string>{"q",
                                                                   "k",
                                                                   "v",
                                                                   "batch",
                                                                   "queryHeads",
                                                                   "kvHeads",
                                                                   "queries",
                                                                   "keys",
                                                                   "headDim",
                                                                   "valueDim",
                                                                   "layout",
                                                                   "causal",
                                                                   "queryPositions",
                                                                   "keyPositions",
                                                                   "window",
                                                                   "allowed",
                                                                   "allowedShape",
                                                                   "bias",
                                                                   "biasShape",
                                                                   "scale",
                                                                   "softcap",
                                                                   "kernel"});
    CHECK(names_of(Input::problem, true) ==
          std::set<std::string>{"q", "k", "v", "queries", "keys", "headDim"});
}

TEST_CASE("fields: the table is in order", "[fields]") {
    std::set<std::string> seen;
    for (const Field& field : attention::fields()) {
        INFO(field.name);
        CHECK(seen.emplace(field.name).second);
        CHECK(field.says.empty() == (field.required == 0));
        CHECK(!attention::name(field.kind).empty());
        CHECK(attention::name(field.kind) != "unknown");
        CHECK(attention::expectation(field.kind) != "something else");
        CHECK(field.inputs != 0);
        CHECK((field.required & ~field.inputs) == 0);
    }
    for (const Input input : inputs) {
        const std::string type = attention::typescript(input);
        CHECK(type.find("/**  */") == std::string::npos);
        for (const Field& field : attention::fields()) {
            const std::string name = "\n  " + std::string(field.name);
            INFO(field.name << " in " << type);
            if (!field.in(input)) {
                CHECK(type.find(name + ":") == std::string::npos);
                CHECK(type.find(name + "?:") == std::string::npos);
            } else if (field.required_in(input)) {
                CHECK(type.find(name + ":") != std::string::npos);
            } else {
                CHECK(type.find(name + "?:") != std::string::npos);
            }
        }
    }
}

TEST_CASE("fields: names that no input has", "[fields]") {
    CHECK(attention::check_field_name(Input::problem, "kvHeads").ok());
    check_error(attention::check_field_name(Input::problem, "kvheads"), Code::unknown_field,
                "kvheads", {"'kvheads'", "kvHeads", "a problem"});
    CHECK(attention::check_field_name(Input::layer, "wq").ok());
    CHECK_FALSE(attention::check_field_name(Input::problem, "wq").ok());
    CHECK_FALSE(attention::check_field_name(Input::layer, "q").ok());
    CHECK_FALSE(attention::check_field_name(Input::cost, "").ok());
}

TEST_CASE("fields: what is missing, of another type, or not there yet", "[fields]") {
    check_error(attention::missing(Input::problem, "headDim"), Code::missing_field, "headDim",
                {"headDim", "missing", "a problem"});
    check_error(attention::wrong_type("causal", "the text 'yes'"), Code::wrong_type, "causal",
                {"causal", "true or false", "the text 'yes'"});
    check_error(attention::wrong_element("q", 3, "null"), Code::wrong_type, "q",
                {"q", "numbers", "3", "null"});
    check_error(attention::worker_died("out of memory"), Code::worker_died, "",
                {"worker", "(out of memory)", "next call works"});
    check_error(attention::unavailable("backend 'webgpu'", "use 'wasm'."), Code::unavailable, "",
                {"backend 'webgpu'", "use 'wasm'"});
}

TEST_CASE("fields: whole numbers", "[fields]") {
    std::int64_t into = 42;
    CHECK(attention::whole_number("batch", 0, 0, into).ok());
    CHECK(into == 0);
    CHECK(attention::whole_number("batch", 9007199254740992.0, 0, into).ok());
    CHECK(into == 9007199254740992);
    into = 42;
    const struct {
        double value;
        const char* shown;
    } bad[] = {{2.5, "is 2.5"},
               {-1, "is -1"},
               {not_a_number, "NaN"},
               {infinity, "Infinity"},
               {-infinity, "-Infinity"},
               {1e300, "is 1e"},
               // Close to a whole number, and shown as something that is none.
               {2.9999999, "is 2.9999999"},
               {4.0000001, "is 4.0000001"}};
    for (const auto& [value, shown] : bad) {
        check_error(attention::whole_number("batch", value, 0, into), Code::wrong_value, "batch",
                    {"batch", "whole number", shown});
    }
    check_error(attention::whole_number("headDim", 0, 1, into), Code::wrong_value, "headDim",
                {"at least 1", "is 0"});
    CHECK(into == 42);
}

TEST_CASE("fields: positions", "[fields]") {
    std::int32_t into = 42;
    for (const double value : {0.0, -5.0, 2147483647.0, -2147483648.0}) {
        INFO("position " << value);
        CHECK(attention::position("queryPositions", value, into).ok());
        CHECK(into == value);
    }
    into = 42;
    for (const double value : {0.5, 2147483648.0, -2147483649.0, not_a_number, infinity}) {
        check_error(attention::position("queryPositions", value, into), Code::wrong_value,
                    "queryPositions", {"queryPositions", "whole", "32 bits"});
    }
    CHECK(into == 42);
}

TEST_CASE("fields: a window of w keys counts the query's own", "[fields]") {
    attention::Window window;
    CHECK(attention::window_of_width(1, window).ok());
    CHECK(window.left == 0);
    CHECK(window.right == 0);
    CHECK(attention::window_of_width(2, window).ok());
    CHECK(window.left == 1);
    CHECK(window.right == 0);
    for (const double width : {0.0, -1.0, 1.5, not_a_number, infinity}) {
        check_error(attention::window_of_width(width, window), Code::wrong_value, "window",
                    {"window", "at least 1", "but is"});
    }
    CHECK(window.left == 1);
}

TEST_CASE("fields: layouts and kernels by name", "[fields]") {
    attention::Layout layout = attention::Layout::bhtd;
    CHECK(attention::layout_by_name("bthd", layout).ok());
    CHECK(layout == attention::Layout::bthd);
    CHECK(attention::layout_by_name("bhtd", layout).ok());
    CHECK(layout == attention::Layout::bhtd);
    check_error(attention::layout_by_name("BHTD", layout), Code::wrong_value, "layout",
                {"'bhtd'", "'bthd'", "'BHTD'"});
    attention::Kernel kernel = attention::Kernel::reference;
    CHECK(attention::kernel_by_name("auto", kernel).ok());
    CHECK(kernel == attention::Kernel::automatic);
    for (const attention::Kernel each : kernels) {
        CHECK(attention::kernel_by_name(attention::name(each), kernel).ok());
        CHECK(kernel == each);
    }
    check_error(attention::kernel_by_name("flash", kernel), Code::wrong_value, "kernel",
                {"'auto'", "'reference'", "'online'", "'tiled'", "'decode'", "'flash'"});
    CHECK(kernel == kernels.back());
}
