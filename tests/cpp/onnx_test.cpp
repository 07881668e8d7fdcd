// The 87 conformance cases of the ONNX `Attention` operator, on every kernel and
// in trace(). They lie beside the project.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/onnx_cases.hpp"
#include "support/oracle.hpp"
#include "support/paths.hpp"

using namespace support;
using attention::Layout;
using onnx::Case;
using onnx::Tensor;

namespace {

const std::string folder = ATTENTION_ONNX_CASES;

/// The cases, or a skip that says why.
const std::vector<Case>& cases() {
    static const auto read = onnx::read_cases(folder);
    if (!read) {
        SKIP("the ONNX Attention cases are not beside the project: no cases.txt and data.bin in "
             << folder);
    }
    return *read;
}

/// The worst miss of |got - expected| <= absolute + relative * |expected|, or "".
/// Equal infinities agree.
template <class Got>
std::string difference(const Case& one, const std::string& what, const std::vector<Got>& got,
                       const Tensor& expected) {
    if (got.size() != expected.values.size()) return what + " has another size";
    for (std::size_t at = 0; at < got.size(); ++at) {
        const double value = got[at];
        const double right = expected.values[at];
        if (value == right) continue;
        const double allowed = one.absolute_tolerance + one.relative_tolerance * std::abs(right);
        if (std::abs(value - right) <= allowed) continue;
        std::ostringstream out;
        out.precision(10);
        out << what << " [" << at << "] is " << value << ", expected " << right << ", allowed "
            << allowed;
        return out.str();
    }
    return "";
}

}  // namespace

TEST_CASE("onnx: all 76 stored and 11 generated cases are there", "[onnx]") {
    // Asked for before the checks: where there are none, a skip inside a CHECK is a failure.
    const std::vector<Case>& all = cases();
    const auto from = [&](const std::string& origin) {
        return std::count_if(all.begin(), all.end(),
                             [&](const Case& one) { return one.origin == origin; });
    };
    CHECK(from("file") == 76);
    CHECK(from("generator") == 11);
    CHECK(all.size() == 87);
}

TEST_CASE("onnx: the oracle passes every case", "[onnx][oracle]") {
    for (const Case& one : cases()) {
        const HeldProblem held = onnx::to_problem(one);
        const auto stages = oracle::evaluate<double>(held.problem());
        INFO(one.name << ": " << describe(held.problem()));
        CHECK(difference(one, "Y", stages.output, one.outputs.at("Y")) == "");
    }
}

TEST_CASE("onnx: every kernel passes every case", "[onnx]") {
    for (const Case& one : cases()) {
        const HeldProblem held = onnx::to_problem(one);
        for (const attention::Kernel kernel : kernels) {
            INFO(one.name << ", kernel " << attention::name(kernel) << ": "
                          << describe(held.problem()));
            CHECK(difference(one, "Y", solve(held, kernel), one.outputs.at("Y")) == "");
        }
    }
}

TEST_CASE("onnx: every kernel passes every case in the other layout", "[onnx]") {
    for (const Case& one : cases()) {
        const HeldProblem held = onnx::to_problem(one);
        const Layout other = held.layout == Layout::bhtd ? Layout::bthd : Layout::bhtd;
        const HeldProblem moved = in_layout(held, other);
        const attention::Shape& s = held.shape;
        for (const attention::Kernel kernel : kernels) {
            INFO(one.name << ", kernel " << attention::name(kernel) << ": "
                          << describe(moved.problem()));
            const auto back = change_layout(solve(moved, kernel), other, held.layout, s.batch,
                                            s.query_heads, s.queries, s.value_dim);
            CHECK(difference(one, "Y", back, one.outputs.at("Y")) == "");
        }
    }
}

TEST_CASE("onnx: trace() holds what qk_matmul_output says, in all four modes", "[onnx][trace]") {
    std::vector<int> seen(4);
    for (const Case& one : cases()) {
        const auto expected = one.outputs.find("qk_matmul_output");
        if (expected == one.outputs.end()) continue;
        const auto mode = static_cast<std::size_t>(one.attribute("qk_matmul_output_mode", 0));
        ++seen.at(mode);
        const attention::Trace trace = traced(onnx::to_problem(one));
        const std::vector<float>* stages[] = {&trace.scores, &trace.capped, &trace.masked,
                                              &trace.weights};
        INFO(one.name << ", mode " << mode);
        CHECK(difference(one, "qk_matmul_output", *stages[mode], expected->second) == "");
        CHECK(difference(one, "Y", trace.output, one.outputs.at("Y")) == "");
    }
    CHECK(seen == std::vector<int>{3, 2, 7, 6});
}

TEST_CASE("onnx: present keys and values are the past ones and the new ones", "[onnx]") {
    int seen = 0;
    for (const Case& one : cases()) {
        const auto present_key = one.outputs.find("present_key");
        if (present_key == one.outputs.end()) continue;
        ++seen;
        const HeldProblem held = in_layout(onnx::to_problem(one), Layout::bhtd);
        INFO(one.name);
        CHECK(held.k == present_key->second.values);
        CHECK(held.v == one.outputs.at("present_value").values);
    }
    CHECK(seen == 21);
}
