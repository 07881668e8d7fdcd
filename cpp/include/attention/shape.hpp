// The sizes of an attention problem, with the letters that all files use.
#pragma once

#include <cstdint>

namespace attention {

/// How a tensor of heads lies in memory, slowest axis first. Both hold the
/// same numbers; they differ in strides only.
enum class Layout : std::uint8_t {
    bhtd,  ///< [batch, head, token, feature]
    bthd,  ///< [batch, token, head, feature], which is [batch, token, head * feature]
};

/// B, Hq, Hkv, T, S, D, Dv. Query heads are shared out over the KV heads in
/// runs of equal length: grouped-query attention (Ainslie et al. 2023).
struct Shape {
    std::int64_t batch = 1;        ///< B
    std::int64_t query_heads = 1;  ///< Hq, a multiple of Hkv
    std::int64_t kv_heads = 1;     ///< Hkv
    std::int64_t queries = 0;      ///< T
    std::int64_t keys = 0;         ///< S
    std::int64_t head_dim = 0;     ///< D, the length of a query and of a key
    std::int64_t value_dim = 0;    ///< Dv, the length of a value

    /// Query heads per KV head. Needs kv_heads > 0.
    std::int64_t group() const { return query_heads / kv_heads; }

    /// The KV head that a query head reads: 11 of 16 over 8 reads 5.
    std::int64_t kv_head(std::int64_t query_head) const { return query_head / group(); }
};

}  // namespace attention
