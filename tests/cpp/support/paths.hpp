// Every way that the library can solve one problem: each kernel, each layout.
#pragma once

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>
#include <vector>

#include "attention/attention.hpp"
#include "support/held_problem.hpp"

namespace support {

inline constexpr std::array kernels = {attention::Kernel::reference, attention::Kernel::online,
                                       attention::Kernel::tiled, attention::Kernel::decode};
inline constexpr std::array layouts = {attention::Layout::bhtd, attention::Layout::bthd};

/// The output of a problem that must be solvable. It starts out as NaN, so that
/// a value which the kernel leaves out is seen.
inline std::vector<float> solve(const attention::Problem& problem) {
    std::vector<float> output(static_cast<std::size_t>(attention::output_size(problem.shape)),
                              std::numeric_limits<float>::quiet_NaN());
    const attention::Status status = attention::attend(problem, output);
    INFO(describe(problem) << ", kernel " << attention::name(problem.kernel));
    REQUIRE(status.message == "");
    REQUIRE(status.ok());
    return output;
}

inline std::vector<float> solve(const HeldProblem& held, attention::Kernel kernel) {
    return solve(held.problem(kernel));
}

/// Solves on every kernel in every layout and hands each output, always as
/// [B, Hq, T, Dv], to `check(output)`.
template <class Check>
void on_every_path(const HeldProblem& held, const Check& check) {
    for (const attention::Layout layout : layouts) {
        const HeldProblem laid_out = in_layout(held, layout);
        for (const attention::Kernel kernel : kernels) {
            INFO("kernel " << attention::name(kernel) << ", "
                           << describe(laid_out.problem(kernel)));
            const attention::Shape& s = held.shape;
            check(change_layout(solve(laid_out, kernel), layout, attention::Layout::bhtd, s.batch,
                                s.query_heads, s.queries, s.value_dim));
        }
    }
}

/// trace() of a problem that must be traceable.
inline attention::Trace traced(const HeldProblem& held) {
    attention::Trace trace;
    const attention::Status status = attention::trace(held.problem(), trace);
    INFO(describe(held.problem()));
    REQUIRE(status.message == "");
    REQUIRE(status.ok());
    return trace;
}

}  // namespace support
