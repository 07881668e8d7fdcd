// Shape: which KV head a query head reads.

#include "attention/shape.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using attention::Shape;

namespace {

std::vector<std::int64_t> kv_heads_read(std::int64_t query_heads, std::int64_t kv_heads) {
    const Shape shape{.query_heads = query_heads, .kv_heads = kv_heads};
    std::vector<std::int64_t> read;
    for (std::int64_t head = 0; head < query_heads; ++head) read.push_back(shape.kv_head(head));
    return read;
}

}  // namespace

TEST_CASE("shape: head 11 of 16 over 8 reads KV head 5", "[shape]") {
    const Shape shape{.query_heads = 16, .kv_heads = 8};
    CHECK(shape.group() == 2);
    CHECK(shape.kv_head(11) == 5);
}

TEST_CASE("shape: query heads share KV heads in runs", "[shape]") {
    CHECK(kv_heads_read(4, 2) == std::vector<std::int64_t>{0, 0, 1, 1});
    CHECK(kv_heads_read(6, 3) == std::vector<std::int64_t>{0, 0, 1, 1, 2, 2});
    CHECK(kv_heads_read(6, 2) == std::vector<std::int64_t>{0, 0, 0, 1, 1, 1});
    CHECK(kv_heads_read(3, 3) == std::vector<std::int64_t>{0, 1, 2});
    CHECK(kv_heads_read(3, 1) == std::vector<std::int64_t>{0, 0, 0});
    const std::vector<std::int64_t> of_24 = kv_heads_read(24, 2);
    CHECK(of_24[11] == 0);
    CHECK(of_24[12] == 1);
}

TEST_CASE("shape: counts start as one batch item and one head", "[shape]") {
    const Shape shape;
    CHECK(shape.batch == 1);
    CHECK(shape.query_heads == 1);
    CHECK(shape.kv_heads == 1);
}
