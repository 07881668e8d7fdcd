// Mask rules by name, turned into the boolean mask of a problem. A rule means the
// same alone and beside others: the conjunction of two masks is both rules at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "attention/predicate.hpp"
#include "attention/status.hpp"

namespace attention {

/// A mask [T, S] by the name of its rule, with the amounts that the rule takes:
///
///     "causal"
///     "window"        width, sinks = 0             predicate::SlidingWindow
///     "prefix"        length                       either(Causal, Prefix)
///     "documents"     documents                    predicate::Documents
///     "block-sparse"  block_size, local_blocks = 1, global_stride = none
///                                                  predicate::BlockSparse
///     "dilated"       width, dilation              predicate::Dilated
///
/// Positions default to those of a problem if the spans are absent.
struct NamedMask {
    std::string rule;
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> sinks;
    std::optional<std::int64_t> length;
    std::optional<std::int64_t> block_size;
    std::optional<std::int64_t> local_blocks;
    std::optional<std::int64_t> global_stride;
    std::optional<std::int64_t> dilation;
    std::optional<std::span<const std::int32_t>> documents;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::optional<std::span<const std::int32_t>> query_positions;
    std::optional<std::span<const std::int32_t>> key_positions;
};

/// The amounts by the names that they have as fields, in the order of NamedMask.
struct MaskAmount {
    std::string_view field;
    std::optional<std::int64_t> NamedMask::* value;
    std::int64_t least;
    std::uint8_t rules;     ///< a bit for each rule that takes it, in the order above
    std::uint8_t required;  ///< a bit for each rule that cannot do without it
};
std::span<const MaskAmount> mask_amounts();

/// T * S, the number of values of a mask by name.
std::int64_t mask_size(const NamedMask& mask);

/// Writes the mask, 1 where a query may attend, into T * S values, and the rule as a
/// line of code on the positions `query` and `key` into `code` unless that is null,
/// e.g. "key <= query && query - key < 3". Errors: wrong_value for a rule that there
/// is not and an amount out of range, missing_field and unknown_field for an amount
/// that the rule needs or does not take, wrong_shape. On an error nothing is written.
Status fill_mask(const NamedMask& mask, std::span<std::uint8_t> into, std::string* code = nullptr);

}  // namespace attention
