// Tensors that are looked at, never owned: a pointer and three strides.
//
// A head is a choice of strides. The same numbers in memory are [B, H, T, D] or
// [B, T, H * D] according to how far one steps for the next head and the next
// token, so splitting a layer's features into heads moves nothing.
#pragma once

#include <cstdint>

#include "attention/shape.hpp"

namespace attention {

/// [batch, head, row, dim] with the `dim` values of a row next to each other.
/// Strides count elements. Value is `float` or `const float`.
template <class Value>
struct HeadView {
    Value* data = nullptr;
    std::int64_t batch_stride = 0;
    std::int64_t head_stride = 0;
    std::int64_t row_stride = 0;

    Value* row(std::int64_t batch, std::int64_t head, std::int64_t row) const {
        return data + batch * batch_stride + head * head_stride + row * row_stride;
    }
};

/// The view of a dense tensor of `heads` heads with `rows` rows of `dim` values.
template <class Value>
HeadView<Value> view_heads(Value* data, Layout layout, std::int64_t heads, std::int64_t rows,
                           std::int64_t dim) {
    if (layout == Layout::bhtd) return {data, heads * rows * dim, rows * dim, dim};
    return {data, rows * heads * dim, dim, heads * dim};
}

}  // namespace attention
