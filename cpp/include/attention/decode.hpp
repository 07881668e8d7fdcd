// Decoding with a KV cache: keys and values of earlier tokens are kept, so that
// a new token costs one row of scores and not a square.
#pragma once

#include <cstdint>
#include <span>

#include "attention/attention.hpp"

namespace attention {

/// The cache of one sequence and one layer, [S, Hkv * D] and [S, Hkv * Dv]: a
/// token's keys and values are appended at the end. For a ragged batch keep one
/// for each sequence.
class KvCache {
public:
    /// `shape` gives Hq, Hkv, D and Dv; its batch, queries and keys are not read.
    explicit KvCache(const Shape& shape);
    ~KvCache();
    KvCache(const KvCache&) = delete;
    KvCache& operator=(const KvCache&) = delete;

    const Shape& shape() const { return shape_; }
    std::int64_t tokens() const { return tokens_; }

    /// Appends `tokens` tokens: keys [tokens, Hkv * D], values [tokens, Hkv * Dv].
    /// Errors: those of the shape, wrong_shape, out_of_memory. On an error the
    /// cache is left as it was.
    Status append(std::span<const float> keys, std::span<const float> values, std::int64_t tokens);

    /// Attends from the last `queries` tokens over all that is cached, causally:
    /// q [queries, Hq * D], output [queries, Hq * Dv]. Row for row this is what
    /// the full run over the whole sequence gives. `options` may set scale,
    /// softcap, window and kernel; its shape, layout and tensors are not read.
    Status attend(std::span<const float> q, std::int64_t queries, std::span<float> output,
                  const Problem& options = {}) const;

private:
    Status grow(std::int64_t tokens);

    Shape shape_;
    std::int64_t tokens_ = 0;
    std::int64_t capacity_ = 0;
    float* keys_ = nullptr;    // from malloc: its growth may be refused, which is an error
    float* values_ = nullptr;  // and not an abort
};

}  // namespace attention
