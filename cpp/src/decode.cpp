#include "attention/decode.hpp"

#include "checked.hpp"

namespace attention {

KvCache::KvCache(const Shape& shape) : shape_(shape) {
    shape_.batch = 1;
    shape_.queries = 0;
    shape_.keys = 0;
}

Status KvCache::append(std::span<const float> keys, std::span<const float> values,
                       std::int64_t tokens) {
    if (Status status = check_shape(shape_); !status.ok()) return status;
    if (Status status = check_size("k", "[tokens, Hkv, D]",
                                   {tokens, shape_.kv_heads, shape_.head_dim},
                                   static_cast<std::int64_t>(keys.size()));
        !status.ok()) {
        return status;
    }
    if (Status status = check_size("v", "[tokens, Hkv, Dv]",
                                   {tokens, shape_.kv_heads, shape_.value_dim},
                                   static_cast<std::int64_t>(values.size()));
        !status.ok()) {
        return status;
    }
    keys_.insert(keys_.end(), keys.begin(), keys.end());
    values_.insert(values_.end(), values.begin(), values.end());
    tokens_ += tokens;
    return {};
}

Status KvCache::attend(std::span<const float> q, std::int64_t queries, std::span<float> output,
                       const Problem& options) const {
    Problem problem = options;
    problem.shape = shape_;
    problem.shape.queries = queries;
    problem.shape.keys = tokens_;
    problem.layout = Layout::bthd;
    problem.q = q;
    problem.k = keys_;
    problem.v = values_;
    return attention::attend(problem, output);
}

}  // namespace attention
