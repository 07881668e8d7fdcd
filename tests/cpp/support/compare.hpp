// Comparisons that say where and by how much. Each gives an empty text if all is
// well and otherwise one with the index, both values and the bound; write
//
//     CHECK(compare::output(problem, got, expected, 1e-5) == "");
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attention/attention.hpp"

namespace support::compare {

/// The axes of a tensor in memory order, e.g. {{"b", 2}, {"t", 5}}.
struct Axis {
    std::string_view name;
    std::int64_t size;
};
using Axes = std::vector<Axis>;

Axes output_axes(const attention::Problem& problem);  ///< [b,h,t,d] or [b,t,h,d]
Axes pair_axes(const attention::Shape& shape);        ///< [b,h,t,s]
Axes row_axes(const attention::Shape& shape);         ///< [b,h,t]

/// The worst |got - expected| beyond `tolerance`. NaN matches NaN only; where
/// an infinity is expected, the same infinity.
std::string tensors(std::string_view what, std::span<const float> got,
                    std::span<const double> expected, double tolerance, const Axes& axes);

/// Bit for bit, NaN included.
std::string bits(std::string_view what, std::span<const float> got, std::span<const float> expected,
                 const Axes& axes);

/// tensors() for an output of the problem.
std::string output(const attention::Problem& problem, std::span<const float> got,
                   std::span<const double> expected, double tolerance);

/// The contract's accuracy: no path may err by more than twice what a plain
/// float32 evaluation errs, plus 1e-6 for values of about unit size. There is
/// more than one plain evaluation: dot products can be summed from the first
/// feature on, from the last or from the middle, and scaled before or after.
/// Where few rows matter, one of them is often right to the last bit by luck, so
/// the worst of the six counts.
struct Truth {
    std::vector<double> output;
    double float32_error = 0.0;  ///< the largest of the plain evaluations
    double tolerance = 0.0;      ///< 2 * float32_error + 1e-6 * value_scale
    bool finite = true;          ///< false: float32 overflows by itself
};
Truth truth_of(const attention::Problem& problem, double value_scale = 1.0);

/// Compares with the truth. If float32 overflows by itself, any value goes.
std::string output(const attention::Problem& problem, std::span<const float> got,
                   const Truth& truth);

std::vector<double> widened(std::span<const float> values);

}  // namespace support::compare
