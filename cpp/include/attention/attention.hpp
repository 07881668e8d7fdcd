// Scaled dot-product attention (Vaswani et al. 2017, section 3.2.1), exact:
//
//     output = softmax(mask(cap(scale * q k^T) + bias)) v
//
// per batch item and query head, with the softmax over the keys of a row. This
// file states a problem and solves it; nothing but the standard library is
// needed to include it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "attention/mask.hpp"
#include "attention/shape.hpp"
#include "attention/status.hpp"

namespace attention {

/// The ladder of kernels. All give the same answer to within float32 rounding,
/// each repeats its own answer bit for bit.
enum class Kernel : std::uint8_t {
    automatic,  ///< decode for a few rows of queries, tiled otherwise
    reference,  ///< four plain passes over a row of scores: the text to read
    online,     ///< one pass over the keys, no row of scores is ever held
    tiled,      ///< tiles of queries and keys in SIMD registers: the fast one
    decode,     ///< streams keys and values once for a few queries, vectors along D
};

/// The kernel as JavaScript and the command line spell it, e.g. "tiled".
std::string_view name(Kernel kernel);

/// One attention problem. All tensors are float32 and dense; the library reads
/// the caller's memory where it lies and keeps nothing after the call.
///
///     q [B, Hq, T, D]   k [B, Hkv, S, D]   v [B, Hkv, S, Dv]      layout bhtd
///     q [B, T, Hq * D]  k [B, S, Hkv * D]  v [B, S, Hkv * Dv]     layout bthd
///
/// A query that sees no key gets zeros. A hidden slot is never read: NaN or
/// infinity there changes nothing, while a visible NaN stays visible.
struct Problem {
    Shape shape;
    Layout layout = Layout::bhtd;
    std::span<const float> q;
    std::span<const float> k;
    std::span<const float> v;
    MaskRules mask;
    std::optional<double> scale;  ///< 1 / sqrt(D) if absent; zero and negative are legal
    double softcap = 0.0;         ///< c in c * tanh(score / c); 0 switches it off
    Kernel kernel = Kernel::automatic;
};

/// Checks a problem without computing it.
Status validate(const Problem& problem);

/// The scale that the kernels use: the given one, or 1 / sqrt(D), as float32.
float scale_of(const Problem& problem);

/// The kernel that attend() uses: the one that the problem names, or its choice.
/// Needs a problem that validate() accepts.
Kernel kernel_for(const Problem& problem);

/// The number of float32 values of the output: B * Hq * T * Dv.
std::int64_t output_size(const Shape& shape);

/// Solves the problem into `output` [B, Hq, T, Dv] in the problem's layout.
/// Errors: whatever validate() says; wrong_shape if `output` has another size;
/// out_of_memory. On an error `output` is left as it was.
Status attend(const Problem& problem, std::span<float> output);

/// Every intermediate of a problem, row-major. [B, Hq, T, S] but for the last
/// three, which are [B, Hq, T], [B, Hq, T] and the problem's output.
struct Trace {
    std::vector<float> dots;        ///< q . k
    std::vector<float> scores;      ///< scale * dots
    std::vector<float> capped;      ///< softcap * tanh(scores / softcap), or scores
    std::vector<float> masked;      ///< capped + bias; -infinity where hidden
    std::vector<float> weights;     ///< softmax over the keys; 0 where hidden
    std::vector<Hidden> hidden_by;  ///< the rules that hide each pair
    std::vector<float> row_max;     ///< largest masked score; -infinity if none is visible
    std::vector<float> row_sum;     ///< sum of exp(masked - row_max)
    std::vector<float> output;
};

/// The most pairs (B * Hq * T * S), and the most output values, that trace() takes.
inline constexpr std::int64_t max_trace_pairs = std::int64_t{1} << 22;

/// Solves the problem with the reference kernel and keeps every intermediate.
/// The dots of hidden pairs are computed too, for display; that they are hidden
/// is in `masked` and `hidden_by`. Errors: as attend(), and too_large.
Status trace(const Problem& problem, Trace& into);

}  // namespace attention
