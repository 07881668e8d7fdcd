// The reference kernel: not fast, not clever, the text to read first.
//
// For each batch item b, query head h and query i, four plain passes:
//
//     1. score    s[j] = mask(cap(scale * q . k[j]) + bias)      reads D * S of k
//     2. max      m    = max_j s[j]
//     3. exp      w[j] = exp(s[j] - m),  sum = sum_j w[j]
//     4. output   o    = sum_j (w[j] / sum) * v[j]                reads Dv * S of v
//
// Subtracting the largest score before the exponential changes nothing in the
// quotient and keeps exp() within range. Memory: two rows of S values. Every key
// and value is read again for every query, T * S * (D + Dv) reads from wherever
// they lie, and the scores of a row go out to memory and come back three times.
//
// Place on the ladder (T 1024, D 64, causal, WebAssembly, one thread; visible pairs
// only): 1.2 GFLOP/s. Each dot product waits for the addition before it.
//
// trace() walks the same passes and keeps what each leaves behind.
#include <cmath>
#include <limits>

#include "buffer.hpp"
#include "kernels.hpp"

namespace attention {

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

struct Row {
    std::int64_t batch;
    std::int64_t head;
    std::int64_t query;
};

// dot = sum_d q[d] * k[d]
float dot(const float* q, const float* k, std::int64_t dim) {
    float sum = 0.0F;
    for (std::int64_t d = 0; d < dim; ++d) sum += q[d] * k[d];
    return sum;
}

float cap(float score, float softcap) {
    return softcap > 0.0F ? softcap * std::tanh(score / softcap) : score;
}

// Pass 1. A hidden key is not even read.
void masked_scores(const Checked& p, const Row& r, float* scores) {
    const float* q = p.q.row(r.batch, r.head, r.query);
    const std::int64_t kv_head = p.shape.kv_head(r.head);
    for (std::int64_t j = 0; j < p.shape.keys; ++j) {
        if (!p.mask.visible(r.batch, r.head, r.query, j)) {
            scores[j] = minus_infinity;
            continue;
        }
        const float score = p.scale * dot(q, p.k.row(r.batch, kv_head, j), p.shape.head_dim);
        scores[j] = cap(score, p.softcap) + p.mask.bias(r.batch, r.head, r.query, j);
    }
}

// Pass 2.
float largest(const float* scores, std::int64_t keys) {
    float max = minus_infinity;
    for (std::int64_t j = 0; j < keys; ++j) {
        if (scores[j] > max) max = scores[j];
    }
    return max;
}

// Pass 3. A score of -infinity weighs nothing, even where the whole row is
// -infinity and the difference would be NaN.
float exponentials(const float* scores, std::int64_t keys, float max, float* weights) {
    float sum = 0.0F;
    for (std::int64_t j = 0; j < keys; ++j) {
        weights[j] = scores[j] == minus_infinity ? 0.0F : std::exp(scores[j] - max);
        sum += weights[j];
    }
    return sum;
}

void normalise(float* weights, const float* scores, std::int64_t keys, float sum) {
    for (std::int64_t j = 0; j < keys; ++j) {
        if (scores[j] != minus_infinity) weights[j] /= sum;
    }
}

// Pass 4. A hidden value is not even read: 0 * NaN would be NaN.
void weighted_values(const Checked& p, const Row& r, const float* scores, const float* weights,
                     float* output) {
    const std::int64_t kv_head = p.shape.kv_head(r.head);
    for (std::int64_t c = 0; c < p.shape.value_dim; ++c) output[c] = 0.0F;
    for (std::int64_t j = 0; j < p.shape.keys; ++j) {
        if (scores[j] == minus_infinity) continue;
        const float* v = p.v.row(r.batch, kv_head, j);
        for (std::int64_t c = 0; c < p.shape.value_dim; ++c) output[c] += weights[j] * v[c];
    }
}

template <class Visit>
void each_row(const Shape& shape, Visit visit) {
    for (std::int64_t b = 0; b < shape.batch; ++b) {
        for (std::int64_t h = 0; h < shape.query_heads; ++h) {
            for (std::int64_t i = 0; i < shape.queries; ++i) visit(Row{b, h, i});
        }
    }
}

}  // namespace

Status attend_reference(const Checked& p, HeadView<float> output) {
    const std::int64_t keys = p.shape.keys;
    Buffer<float> scores;
    Buffer<float> weights;
    if (!scores.reserve(keys) || !weights.reserve(keys)) return out_of_memory("a row of scores");
    each_row(p.shape, [&](const Row& r) {
        masked_scores(p, r, scores.data());
        const float max = largest(scores.data(), keys);
        const float sum = exponentials(scores.data(), keys, max, weights.data());
        normalise(weights.data(), scores.data(), keys, sum);
        weighted_values(p, r, scores.data(), weights.data(), output.row(r.batch, r.head, r.query));
    });
    return {};
}

void trace_reference(const Checked& p, HeadView<float> output, Trace& into) {
    const std::int64_t keys = p.shape.keys;
    std::int64_t row = 0;
    each_row(p.shape, [&](const Row& r) {
        const std::int64_t at = row * keys;
        const float* q = p.q.row(r.batch, r.head, r.query);
        for (std::int64_t j = 0; j < keys; ++j) {
            const float* k = p.k.row(r.batch, p.shape.kv_head(r.head), j);
            into.dots[at + j] = dot(q, k, p.shape.head_dim);
            into.scores[at + j] = p.scale * into.dots[at + j];
            into.capped[at + j] = cap(into.scores[at + j], p.softcap);
            into.hidden_by[at + j] = p.mask.hidden_by(r.batch, r.head, r.query, j);
        }
        float* scores = into.masked.data() + at;
        float* weights = into.weights.data() + at;
        masked_scores(p, r, scores);
        into.row_max[row] = largest(scores, keys);
        into.row_sum[row] = exponentials(scores, keys, into.row_max[row], weights);
        normalise(weights, scores, keys, into.row_sum[row]);
        weighted_values(p, r, scores, weights, output.row(r.batch, r.head, r.query));
        ++row;
    });
}

}  // namespace attention
