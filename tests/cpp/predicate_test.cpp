// predicate.hpp: mask rules drawn, combined, and written as code. Each is compared
// with another way to find its keys: walking, not testing.

#include "attention/predicate.hpp"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <vector>

namespace predicate = attention::predicate;

namespace {

constexpr std::int64_t first = -7;
constexpr std::int64_t last = 19;

/// "" if the query sees the keys of `expected` and no other of first ... last.
template <class Predicate>
std::string compare(const Predicate& sees, std::int64_t query,
                    const std::set<std::int64_t>& expected) {
    for (std::int64_t key = first; key <= last; ++key) {
        if (sees(query, key) == expected.contains(key)) continue;
        return "query at " + std::to_string(query) + ", key at " + std::to_string(key) + ": got " +
               (sees(query, key) ? "visible, expected hidden" : "hidden, expected visible") +
               " by " + sees.code();
    }
    return "";
}

}  // namespace

TEST_CASE("predicate: drawn", "[predicate]") {
    CHECK(predicate::draw(predicate::Causal{}, 4) ==
          "1000\n"
          "1100\n"
          "1110\n"
          "1111\n");
    CHECK(predicate::draw(predicate::SlidingWindow{1}, 3) ==
          "100\n"
          "010\n"
          "001\n");
    CHECK(predicate::draw(predicate::SlidingWindow{3}, 5) ==
          "10000\n"
          "11000\n"
          "11100\n"
          "01110\n"
          "00111\n");
    CHECK(predicate::draw(predicate::SlidingWindow{2, 1}, 5) ==
          "10000\n"
          "11000\n"
          "11100\n"
          "10110\n"
          "10011\n");
    CHECK(predicate::draw(predicate::Prefix{2}, 4) ==
          "1100\n"
          "1100\n"
          "1100\n"
          "1100\n");
    const std::vector<std::int32_t> ids = {4, 4, 9, 9, 9, 4};
    CHECK(predicate::draw(predicate::Documents{ids}, 6) ==
          "110001\n"
          "110001\n"
          "001110\n"
          "001110\n"
          "001110\n"
          "110001\n");
    CHECK(predicate::draw(predicate::BlockSparse{2}, 6) ==
          "100000\n"
          "110000\n"
          "001000\n"
          "001100\n"
          "000010\n"
          "000011\n");
    // Blocks 1 and 3 of 0 ... 4 are seen by all that come after.
    CHECK(predicate::draw(predicate::BlockSparse{2, 1, 2}, 10) ==
          "1000000000\n"
          "1100000000\n"
          "0010000000\n"
          "0011000000\n"
          "0011100000\n"
          "0011110000\n"
          "0011001000\n"
          "0011001100\n"
          "0011001110\n"
          "0011001111\n");
    CHECK(predicate::draw(predicate::Dilated{5, 2}, 7) ==
          "1000000\n"
          "0100000\n"
          "1010000\n"
          "0101000\n"
          "1010100\n"
          "0101010\n"
          "0010101\n");
    CHECK(predicate::draw(predicate::Causal{}, 0) == "");
}

TEST_CASE("predicate: combined", "[predicate]") {
    CHECK(predicate::draw(predicate::either(predicate::Causal{}, predicate::Prefix{2}), 4) ==
          "1100\n"
          "1100\n"
          "1110\n"
          "1111\n");
    CHECK(predicate::draw(predicate::both(predicate::Prefix{2}, predicate::Causal{}), 4) ==
          "1000\n"
          "1100\n"
          "1100\n"
          "1100\n");
}

TEST_CASE("predicate: the keys of each rule found by walking, before 0 too", "[predicate]") {
    for (std::int64_t query = first; query <= last; ++query) {
        for (std::int64_t width = 1; width <= 9; ++width) {
            for (std::int64_t sinks = 0; sinks <= 3; ++sinks) {
                std::set<std::int64_t> keys;
                for (std::int64_t n = 0; n < width; ++n) keys.insert(query - n);
                for (std::int64_t key = sinks - 1; sinks > 0 && key >= first; --key) {
                    if (key <= query) keys.insert(key);
                }
                CHECK(compare(predicate::SlidingWindow{width, sinks}, query, keys) == "");
            }
            for (std::int64_t dilation = 1; dilation <= 4; ++dilation) {
                std::set<std::int64_t> keys;
                for (std::int64_t key = query; key > query - width; key -= dilation) {
                    keys.insert(key);
                }
                CHECK(compare(predicate::Dilated{width, dilation}, query, keys) == "");
            }
        }
        for (std::int64_t size = 1; size <= 5; ++size) {
            for (std::int64_t local = 1; local <= 3; ++local) {
                for (std::int64_t stride = 0; stride <= 3; ++stride) {
                    // Block 0 begins at 0; walk from far before it.
                    std::set<std::int64_t> keys;
                    std::int64_t block = -60;
                    for (std::int64_t begin = block * size; begin <= query; begin += size) {
                        const std::int64_t blocks_back = (query - begin) / size;
                        const bool is_global =
                            stride != 0 && (block + 60 * stride + 1) % stride == 0;
                        if (blocks_back < local || is_global) {
                            for (std::int64_t n = 0; n < size && begin + n <= query; ++n) {
                                keys.insert(begin + n);
                            }
                        }
                        ++block;
                    }
                    CHECK(compare(predicate::BlockSparse{size, local, stride}, query, keys) == "");
                }
            }
        }
    }
}

TEST_CASE("predicate: positions that have no document share one", "[predicate]") {
    const std::vector<std::int32_t> ids = {3, -1, 3};
    const predicate::Documents documents{ids};
    std::set<std::int64_t> outside;
    for (std::int64_t at = first; at <= last; ++at) {
        if (at < 0 || at > 2) outside.insert(at);
    }
    CHECK(compare(documents, -2, outside) == "");
    CHECK(compare(documents, 3, outside) == "");
    CHECK(compare(documents, 0, {0, 2}) == "");
    CHECK(compare(documents, 1, {1}) == "");
    CHECK(compare(predicate::Documents{}, 5, [&] {
              std::set<std::int64_t> all = outside;
              all.insert({0, 1, 2});
              return all;
          }()) == "");
}

TEST_CASE("predicate: as code", "[predicate]") {
    CHECK(predicate::Causal{}.code() == "key <= query");
    CHECK(predicate::SlidingWindow{3}.code() == "key <= query && query - key < 3");
    CHECK(predicate::SlidingWindow{3, 1}.code() == "key <= query && (query - key < 3 || key < 1)");
    CHECK(predicate::Prefix{2}.code() == "key < 2");
    CHECK(predicate::Documents{}.code() == "documents[query] == documents[key]");
    CHECK(predicate::BlockSparse{4, 2}.code() ==
          "key <= query && floor(query / 4) - floor(key / 4) < 2");
    CHECK(predicate::BlockSparse{4, 1, 3}.code() ==
          "key <= query && (floor(query / 4) - floor(key / 4) < 1 || (floor(key / 4) + 1) % 3 == "
          "0)");
    CHECK(predicate::Dilated{6, 2}.code() ==
          "key <= query && query - key < 6 && (query - key) % 2 == 0");
    CHECK(predicate::either(predicate::Causal{}, predicate::Prefix{2}).code() ==
          "key <= query || key < 2");
    CHECK(predicate::both(predicate::either(predicate::Causal{}, predicate::Prefix{2}),
                          predicate::Dilated{6, 2})
              .code() ==
          "(key <= query || key < 2) && (key <= query && query - key < 6 && (query - key) % 2 == "
          "0)");
}
