// A problem that has passed all checks, in the form in which kernels take it.
#pragma once

#include "attention/attention.hpp"
#include "attention/tensor.hpp"

namespace attention {

/// Tensors as strided views, rules resolved. Everything in it is within bounds.
struct Checked {
    Shape shape;
    HeadView<const float> q;
    HeadView<const float> k;
    HeadView<const float> v;
    Mask mask;
    float scale = 1.0F;
    float softcap = 0.0F;  ///< 0: none
};

/// The checks of a shape on its own: counts in range, Hq a multiple of Hkv.
Status check_shape(const Shape& shape);

/// Whether `size` values fill a tensor of these axes; `axes` names them for the
/// sentence, e.g. "[B, Hq, T, D]".
Status check_size(std::string_view field, std::string_view axes,
                  std::initializer_list<std::int64_t> sizes, std::int64_t size);

/// The same of several tensors; the first that is wrong is the error.
struct TensorSize {
    std::string_view field;
    std::string_view axes;
    std::initializer_list<std::int64_t> sizes;
    std::span<const float> values;
};
Status check_sizes(std::initializer_list<TensorSize> tensors);

/// Whether a trace may hold `count` of something, max_trace_pairs at most.
Status check_trace_size(std::string_view what, std::int64_t count);

/// a * b, or INT64_MAX where it would overflow. For counts that are not negative.
std::int64_t saturating_product(std::initializer_list<std::int64_t> factors);

/// The checks of scale, softcap and mask; needs a shape that has passed its own.
Status check_rules(const Problem& problem, Checked& into);

/// All checks of a problem; on success `into` is filled.
Status check(const Problem& problem, Checked& into);

}  // namespace attention
