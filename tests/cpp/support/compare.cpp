#include "support/compare.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <sstream>

#include "support/held_problem.hpp"
#include "support/oracle.hpp"

namespace support::compare {

using attention::Layout;
using attention::Problem;
using attention::Shape;

namespace {

/// "[b 0, h 2, t 5, d 1]" for a flat index.
std::string index_text(const Axes& axes, std::size_t flat) {
    std::vector<std::int64_t> index(axes.size());
    auto rest = static_cast<std::int64_t>(flat);
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        index[axis] = rest % axes[axis].size;
        rest /= axes[axis].size;
    }
    std::ostringstream out;
    out << '[';
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        out << (axis ? ", " : "") << axes[axis].name << ' ' << index[axis];
    }
    out << ']';
    return out.str();
}

std::string shape_text(const Axes& axes) {
    std::ostringstream out;
    out << '[';
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        out << (axis ? ", " : "") << axes[axis].name << ':' << axes[axis].size;
    }
    out << ']';
    return out.str();
}

/// How far a value is off; infinite where only one of the two is NaN or where
/// an infinity is missed.
double distance(double got, double expected) {
    if (std::isnan(expected) || std::isnan(got)) {
        const bool both = std::isnan(expected) && std::isnan(got);
        return both ? 0.0 : std::numeric_limits<double>::infinity();
    }
    if (got == expected) return 0.0;  // two equal infinities, too
    return std::abs(got - expected);
}

std::string wrong_count(std::string_view what, std::size_t got, std::size_t expected,
                        const Axes& axes) {
    std::ostringstream out;
    out << what << ' ' << shape_text(axes) << " has " << got << " values, expected " << expected;
    return out.str();
}

/// The features 0 ... dim - 1 from `first` on in steps, round the end.
std::vector<std::size_t> feature_order(std::int64_t dim, std::int64_t first, std::int64_t step) {
    std::vector<std::size_t> order;
    for (std::int64_t at = 0; at < dim; ++at) {
        order.push_back(static_cast<std::size_t>((first + at * step + dim) % dim));
    }
    return order;
}

/// Rows of features in another order, which changes no dot product but its rounding.
std::vector<float> reordered(std::span<const float> rows, const std::vector<std::size_t>& order) {
    std::vector<float> moved;
    moved.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); row += order.size()) {
        for (const std::size_t feature : order) moved.push_back(rows[row + feature]);
    }
    return moved;
}

/// Widens the truth's error to that of a plain evaluation.
void take_error(const std::vector<float>& plain, Truth& truth) {
    for (std::size_t at = 0; at < plain.size(); ++at) {
        if (!std::isfinite(truth.output[at])) continue;
        if (!std::isfinite(plain[at])) {
            truth.finite = false;
            continue;
        }
        truth.float32_error = std::max(truth.float32_error, std::abs(plain[at] - truth.output[at]));
    }
}

}  // namespace

Axes output_axes(const Problem& problem) {
    const Shape& s = problem.shape;
    if (problem.layout == Layout::bhtd) {
        return {{"b", s.batch}, {"h", s.query_heads}, {"t", s.queries}, {"d", s.value_dim}};
    }
    return {{"b", s.batch}, {"t", s.queries}, {"h", s.query_heads}, {"d", s.value_dim}};
}

Axes pair_axes(const Shape& s) {
    return {{"b", s.batch}, {"h", s.query_heads}, {"t", s.queries}, {"s", s.keys}};
}

Axes row_axes(const Shape& s) { return {{"b", s.batch}, {"h", s.query_heads}, {"t", s.queries}}; }

std::string tensors(std::string_view what, std::span<const float> got,
                    std::span<const double> expected, double tolerance, const Axes& axes) {
    if (got.size() != expected.size()) {
        return wrong_count(what, got.size(), expected.size(), axes);
    }
    std::size_t worst = 0;
    std::size_t count = 0;
    double worst_distance = 0.0;
    for (std::size_t at = 0; at < got.size(); ++at) {
        const double off = distance(got[at], expected[at]);
        if (!(off > tolerance)) continue;
        ++count;
        if (off > worst_distance) {
            worst = at;
            worst_distance = off;
        }
    }
    if (count == 0) return "";
    std::ostringstream out;
    out.precision(10);
    out << what << ' ' << index_text(axes, worst) << " is " << got[worst] << ", expected "
        << expected[worst] << ": off by " << worst_distance << ", allowed " << tolerance << "; "
        << count << " of " << got.size() << " values are off; shape " << shape_text(axes);
    return out.str();
}

std::string bits(std::string_view what, std::span<const float> got, std::span<const float> expected,
                 const Axes& axes) {
    if (got.size() != expected.size()) {
        return wrong_count(what, got.size(), expected.size(), axes);
    }
    for (std::size_t at = 0; at < got.size(); ++at) {
        const auto got_bits = std::bit_cast<std::uint32_t>(got[at]);
        const auto expected_bits = std::bit_cast<std::uint32_t>(expected[at]);
        if (got_bits == expected_bits) continue;
        std::ostringstream out;
        out.precision(10);
        out << what << ' ' << index_text(axes, at) << " is " << got[at] << ", expected "
            << expected[at] << " bit for bit (0x" << std::hex << got_bits << " and 0x"
            << expected_bits << std::dec << "); shape " << shape_text(axes);
        return out.str();
    }
    return "";
}

std::string output(const Problem& problem, std::span<const float> got,
                   std::span<const double> expected, double tolerance) {
    const std::string difference =
        tensors("output", got, expected, tolerance, output_axes(problem));
    return difference.empty() ? "" : difference + "; " + describe(problem);
}

Truth truth_of(const Problem& problem, double value_scale) {
    Truth truth;
    truth.output = oracle::evaluate<double>(problem).output;
    const std::int64_t dim = problem.shape.head_dim;
    const auto measure = [&](const std::vector<std::size_t>& order, bool scale_first) {
        std::vector<float> q = reordered(problem.q, order);
        const std::vector<float> k = reordered(problem.k, order);
        Problem plain = problem;
        plain.q = q;
        plain.k = k;
        if (scale_first) {
            const double by_default = 1.0 / std::sqrt(static_cast<double>(dim));
            const auto scale = static_cast<float>(problem.scale.value_or(by_default));
            for (float& value : q) value *= scale;
            plain.scale = 1.0;
        }
        take_error(oracle::evaluate<float>(plain).output, truth);
    };
    for (const bool scale_first : {false, true}) {
        measure(feature_order(dim, 0, 1), scale_first);
        measure(feature_order(dim, dim - 1, -1), scale_first);
        measure(feature_order(dim, dim / 2, 1), scale_first);
    }
    truth.tolerance = 2.0 * truth.float32_error + 1e-6 * value_scale;
    return truth;
}

std::string output(const Problem& problem, std::span<const float> got, const Truth& truth) {
    return truth.finite ? output(problem, got, truth.output, truth.tolerance) : "";
}

std::vector<double> widened(std::span<const float> values) {
    return {values.begin(), values.end()};
}

}  // namespace support::compare
