#include "attention/decode.hpp"

#include <algorithm>
#include <cstdlib>

#include "buffer.hpp"
#include "checked.hpp"

namespace attention {

KvCache::KvCache(const Shape& shape) : shape_(shape) {
    shape_.batch = 1;
    shape_.queries = 0;
    shape_.keys = 0;
}

KvCache::~KvCache() {
    std::free(keys_);
    std::free(values_);
}

Status KvCache::append(std::span<const float> keys, std::span<const float> values,
                       std::int64_t tokens) {
    if (Status status = check_shape(shape_); !status.ok()) return status;
    if (Status status =
            check_size("k", "[tokens, Hkv, D]", {tokens, shape_.kv_heads, shape_.head_dim},
                       static_cast<std::int64_t>(keys.size()));
        !status.ok()) {
        return status;
    }
    if (Status status =
            check_size("v", "[tokens, Hkv, Dv]", {tokens, shape_.kv_heads, shape_.value_dim},
                       static_cast<std::int64_t>(values.size()));
        !status.ok()) {
        return status;
    }
    if (Status status = grow(tokens_ + tokens); !status.ok()) return status;
    std::copy(keys.begin(), keys.end(), keys_ + tokens_ * shape_.kv_heads * shape_.head_dim);
    std::copy(values.begin(), values.end(), values_ + tokens_ * shape_.kv_heads * shape_.value_dim);
    tokens_ += tokens;
    return {};
}

// Makes room for `tokens` tokens, by half as much again at least, so that
// appending one token at a time copies each a bounded number of times.
Status KvCache::grow(std::int64_t tokens) {
    if (tokens <= capacity_) return {};
    const std::int64_t capacity = std::max(tokens, capacity_ + capacity_ / 2);
    const auto resized = [&](float* memory, std::int64_t dim) {
        const std::int64_t bytes =
            saturating_product({capacity, shape_.kv_heads, dim, sizeof(float)});
        if (static_cast<std::uint64_t>(bytes) > SIZE_MAX) return static_cast<float*>(nullptr);
        return static_cast<float*>(std::realloc(memory, static_cast<std::size_t>(bytes)));
    };
    float* keys = resized(keys_, shape_.head_dim);
    if (!keys) return out_of_memory(sentence("% cached keys", {capacity}));
    keys_ = keys;
    float* values = resized(values_, shape_.value_dim);
    if (!values) return out_of_memory(sentence("% cached values", {capacity}));
    values_ = values;
    capacity_ = capacity;
    return {};
}

Status KvCache::attend(std::span<const float> q, std::int64_t queries, std::span<float> output,
                       const Problem& options) const {
    if (Status status = check_shape(shape_); !status.ok()) return status;
    Problem problem = options;
    problem.shape = shape_;
    problem.shape.queries = queries;
    problem.shape.keys = tokens_;
    problem.layout = Layout::bthd;
    problem.q = q;
    const auto size = [this](std::int64_t dim) {
        return static_cast<std::size_t>(tokens_ * shape_.kv_heads * dim);
    };
    problem.k = {keys_, size(shape_.head_dim)};
    problem.v = {values_, size(shape_.value_dim)};
    return attention::attend(problem, output);
}

}  // namespace attention
