// The online kernel: not parallel and not tiled, but the idea of every fast one.
//
// A softmax needs its row's maximum before its first exponential, so it seems to
// need the whole row. It does not. Keep a running maximum m, sum l and output
// acc; when a larger score comes, everything gathered so far was taken relative
// to the old maximum and is scaled down once:
//
//     m' = max(m, s)
//     l   <- l   * exp(m - m') + exp(s - m')
//     acc <- acc * exp(m - m') + exp(s - m') * v
//
// and after the last key the output is acc / l (Milakov & Gimelshein 2018,
// section 3, algorithm 3; with the values folded in: Rabe & Staats 2021,
// section 2). One pass over k and v for each query, no row of scores: the memory
// is the output itself. It reads as much as the reference, writes nothing else.
//
// Place on the ladder (T 1024, D 64, causal, WebAssembly, one thread; visible pairs
// only): 1.2 GFLOP/s, as the reference. It saves memory, not time.
#include <cmath>
#include <limits>

#include "kernels.hpp"

namespace attention {

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

float score(const Checked& p, const float* q, const float* k) {
    float sum = 0.0F;
    for (std::int64_t d = 0; d < p.shape.head_dim; ++d) sum += q[d] * k[d];
    sum *= p.scale;
    return p.softcap > 0.0F ? p.softcap * std::tanh(sum / p.softcap) : sum;
}

// q [D], output [Dv]: one query against all keys of its KV head.
void attend_row(const Checked& p, std::int64_t b, std::int64_t h, std::int64_t i, float* output) {
    const std::int64_t value_dim = p.shape.value_dim;
    const std::int64_t kv_head = p.shape.kv_head(h);
    const float* q = p.q.row(b, h, i);
    float max = minus_infinity;
    float sum = 0.0F;
    for (std::int64_t c = 0; c < value_dim; ++c) output[c] = 0.0F;

    for (std::int64_t j = 0; j < p.shape.keys; ++j) {
        if (!p.mask.visible(b, h, i, j)) continue;
        const float s = score(p, q, p.k.row(b, kv_head, j)) + p.mask.bias(b, h, i, j);
        if (s == minus_infinity) continue;
        if (s > max) {
            const float shrink = std::exp(max - s);
            sum *= shrink;
            for (std::int64_t c = 0; c < value_dim; ++c) output[c] *= shrink;
            max = s;
        }
        const float weight = std::exp(s - max);
        const float* v = p.v.row(b, kv_head, j);
        sum += weight;
        for (std::int64_t c = 0; c < value_dim; ++c) output[c] += weight * v[c];
    }

    if (sum == 0.0F) return;  // no key in sight: the zeros stand
    for (std::int64_t c = 0; c < value_dim; ++c) output[c] /= sum;
}

}  // namespace

void attend_online(const Checked& p, HeadView<float> output) {
    for (std::int64_t b = 0; b < p.shape.batch; ++b) {
        for (std::int64_t h = 0; h < p.shape.query_heads; ++h) {
            for (std::int64_t i = 0; i < p.shape.queries; ++i) {
                attend_row(p, b, h, i, output.row(b, h, i));
            }
        }
    }
}

}  // namespace attention
