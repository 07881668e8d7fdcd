// A layer that owns its memory, so that a test can build one and change it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "attention/heads.hpp"
#include "support/held_problem.hpp"

namespace support {

struct HeldLayer {
    std::int64_t model_dim = 0;
    std::int64_t output_dim = 0;
    std::vector<float> x;
    std::optional<std::vector<float>> context;
    std::vector<float> wq;
    std::vector<float> wk;
    std::vector<float> wv;
    std::vector<float> wo;
    HeldProblem attention;  // its q, k and v stay empty

    /// The layer as the library takes it. It looks at this object's memory.
    attention::Layer layer(attention::Kernel kernel = attention::Kernel::automatic) const;
};

/// Standard-normal tokens, and weights that keep their size.
HeldLayer random_layer(const attention::Shape& shape, std::int64_t model_dim,
                       std::int64_t output_dim, bool with_context);

}  // namespace support
