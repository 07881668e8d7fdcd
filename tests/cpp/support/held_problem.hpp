// A problem that owns its memory, so that a test can build one, hand it round,
// change it and lay it out anew.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attention/attention.hpp"

namespace support {

template <class Value>
struct HeldMask {
    std::vector<Value> values;
    std::vector<std::int64_t> shape;
};

struct HeldProblem {
    attention::Shape shape;
    attention::Layout layout = attention::Layout::bhtd;
    std::vector<float> q;
    std::vector<float> k;
    std::vector<float> v;
    /// Values before and after each tensor that are not part of it.
    std::int64_t margin = 0;

    bool causal = true;
    std::optional<attention::Window> window;
    std::optional<std::vector<std::int32_t>> query_positions;
    std::optional<std::vector<std::int32_t>> key_positions;
    std::optional<HeldMask<std::uint8_t>> allowed;
    std::optional<HeldMask<float>> bias;
    std::optional<double> scale;
    double softcap = 0.0;

    /// The problem as the library takes it. It looks at this object's memory.
    attention::Problem problem(attention::Kernel kernel = attention::Kernel::automatic) const;
};

/// A problem of the given shape whose q, k and v are all zero.
HeldProblem zero_problem(const attention::Shape& shape);

/// The set-up that the cases from the field share: B = H = D = Dv = 1, scale 1,
/// q = k = 0. Every visible key has equal weight, so a row of the output is the
/// mean of the values that it sees.
HeldProblem mean_problem(std::int64_t queries, const std::vector<float>& values);

/// Standard-normal q, k and v from a seed.
HeldProblem normal_problem(const attention::Shape& shape, std::uint64_t seed);

/// Moves the tensors away from the start of their memory, with NaN around them.
void add_margin(HeldProblem& held, std::int64_t margin);

/// The same heads [B, heads, rows, dim] in the other layout.
std::vector<float> change_layout(const std::vector<float>& values, attention::Layout from,
                                 attention::Layout to, std::int64_t batch, std::int64_t heads,
                                 std::int64_t rows, std::int64_t dim);

/// The same problem in the given layout. The problem must have no margin.
HeldProblem in_layout(HeldProblem held, attention::Layout layout);

/// One line that says all about a problem but its numbers.
std::string describe(const attention::Problem& problem);

}  // namespace support
