#include "support/held_layer.hpp"

#include <cmath>

#include "support/random.hpp"

namespace support {

attention::Layer HeldLayer::layer(attention::Kernel kernel) const {
    attention::Layer layer;
    layer.model_dim = model_dim;
    layer.output_dim = output_dim;
    layer.x = x;
    if (context) layer.context = *context;
    layer.wq = wq;
    layer.wk = wk;
    layer.wv = wv;
    layer.wo = wo;
    layer.attention = attention.problem(kernel);
    return layer;
}

HeldLayer random_layer(const attention::Shape& shape, std::int64_t model_dim,
                       std::int64_t output_dim, bool with_context) {
    Random random(23);
    HeldLayer held;
    held.model_dim = model_dim;
    held.output_dim = output_dim;
    held.attention.shape = shape;
    held.x = random.normals(shape.batch * shape.queries * model_dim);
    if (with_context) held.context = random.normals(shape.batch * shape.keys * model_dim);
    const auto weights = [&](std::int64_t out, std::int64_t in) {
        std::vector<float> w = random.normals(out * in);
        for (float& value : w) value /= std::sqrt(static_cast<float>(in));
        return w;
    };
    held.wq = weights(shape.query_heads * shape.head_dim, model_dim);
    held.wk = weights(shape.kv_heads * shape.head_dim, model_dim);
    held.wv = weights(shape.kv_heads * shape.value_dim, model_dim);
    held.wo = weights(output_dim, shape.query_heads * shape.value_dim);
    return held;
}

}  // namespace support
