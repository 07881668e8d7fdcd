// Status: what a call says about itself. The sentences for bad input are in
// validate_test.cpp.

#include "attention/status.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "support/paths.hpp"

using attention::Code;
using attention::Status;

TEST_CASE("status: starts as done", "[status]") {
    const Status status;
    CHECK(status.ok());
    CHECK(status.code == Code::ok);
    CHECK(status.field == "");
    CHECK(status.message == "");
    CHECK_FALSE(Status{Code::wrong_value, "scale", "no"}.ok());
}

TEST_CASE("status: codes have names of their own", "[status]") {
    CHECK(attention::name(Code::ok) == "ok");
    CHECK(attention::name(Code::missing_field) == "missing-field");
    CHECK(attention::name(Code::unknown_field) == "unknown-field");
    CHECK(attention::name(Code::wrong_type) == "wrong-type");
    CHECK(attention::name(Code::wrong_value) == "wrong-value");
    CHECK(attention::name(Code::wrong_shape) == "wrong-shape");
    CHECK(attention::name(Code::too_large) == "too-large");
    CHECK(attention::name(Code::out_of_memory) == "out-of-memory");
    CHECK(attention::name(Code::worker_died) == "worker-died");
    CHECK(attention::name(Code::unavailable) == "unavailable");
}

TEST_CASE("status: a call that works says ok and nothing else", "[status]") {
    const auto held = support::mean_problem(2, {1, 3});
    for (const attention::Kernel kernel : support::kernels) {
        std::vector<float> output(2);
        const Status status = attention::attend(held.problem(kernel), output);
        CHECK(status.ok());
        CHECK(status.field == "");
        CHECK(status.message == "");
    }
}
