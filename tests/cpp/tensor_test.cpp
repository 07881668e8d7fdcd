// HeadView: both layouts are strides over the same memory.

#include "attention/tensor.hpp"

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <vector>

using attention::HeadView;
using attention::Layout;
using attention::view_heads;

namespace {

constexpr std::int64_t batch = 2;
constexpr std::int64_t heads = 3;
constexpr std::int64_t rows = 4;
constexpr std::int64_t dim = 5;

/// Each value is its own place in memory.
std::vector<float> places() {
    std::vector<float> values(batch * heads * rows * dim);
    std::iota(values.begin(), values.end(), 0.0F);
    return values;
}

}  // namespace

TEST_CASE("tensor: heads first, [batch, head, token, feature]", "[tensor]") {
    const std::vector<float> values = places();
    const HeadView<const float> view = view_heads(values.data(), Layout::bhtd, heads, rows, dim);
    std::int64_t next = 0;
    for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t h = 0; h < heads; ++h) {
            for (std::int64_t t = 0; t < rows; ++t) {
                for (std::int64_t d = 0; d < dim; ++d) {
                    CHECK(view.row(b, h, t)[d] == static_cast<float>(next++));
                }
            }
        }
    }
}

TEST_CASE("tensor: tokens first, [batch, token, head, feature]", "[tensor]") {
    const std::vector<float> values = places();
    const HeadView<const float> view = view_heads(values.data(), Layout::bthd, heads, rows, dim);
    std::int64_t next = 0;
    for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t t = 0; t < rows; ++t) {
            for (std::int64_t h = 0; h < heads; ++h) {
                for (std::int64_t d = 0; d < dim; ++d) {
                    CHECK(view.row(b, h, t)[d] == static_cast<float>(next++));
                }
            }
        }
    }
}

TEST_CASE("tensor: strides count elements", "[tensor]") {
    float memory[1] = {};
    const auto heads_first = view_heads(memory, Layout::bhtd, heads, rows, dim);
    CHECK(heads_first.batch_stride == 60);
    CHECK(heads_first.head_stride == 20);
    CHECK(heads_first.row_stride == 5);
    const auto tokens_first = view_heads(memory, Layout::bthd, heads, rows, dim);
    CHECK(tokens_first.batch_stride == 60);
    CHECK(tokens_first.head_stride == 5);
    CHECK(tokens_first.row_stride == 15);
}

TEST_CASE("tensor: a view of float can be written through", "[tensor]") {
    std::vector<float> values = places();
    const auto view = view_heads(values.data(), Layout::bthd, heads, rows, dim);
    view.row(1, 2, 3)[4] = -1.0F;
    CHECK(values.back() == -1.0F);
    CHECK(view.data == values.data());
}
