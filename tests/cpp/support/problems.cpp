#include "support/problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

#include "support/oracle.hpp"
#include "support/random.hpp"

#ifdef __EMSCRIPTEN__
#include <emscripten/em_asm.h>
#endif

namespace support {

using attention::Layout;
using attention::Shape;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Lengths at which a loop over vectors, register tiles or blocks turns over.
std::int64_t edge(Random& random, std::int64_t most) {
    std::int64_t length = most + 1;
    while (length > most) {
        length = random.one_of<std::int64_t>({1,  2,  3,   4,   5,   6,   7,   8,   9,   10, 11,
                                              15, 16, 17,  23,  24,  25,  31,  32,  33,  44, 45,
                                              46, 47, 48,  49,  63,  64,  65,  89,  90,  91, 95,
                                              96, 97, 127, 128, 129, 191, 193, 255, 256, 257});
    }
    return length;
}

std::int64_t dimension(Random& random) {
    if (random.chance(0.6)) return random.whole(1, 20);
    if (random.chance(0.7)) return random.whole(1, 72);
    return random.one_of<std::int64_t>({63, 64, 65, 72, 80, 96, 127, 128, 129, 160, 256});
}

Shape random_shape(Random& random) {
    // Small on average, so that thousands of problems take seconds; a few are large.
    const std::int64_t budget = random.chance(0.03) ? 3'000'000 : 100'000;
    for (;;) {
        Shape shape;
        shape.batch = random.one_of<std::int64_t>({1, 1, 1, 2, 3});
        shape.kv_heads = random.one_of<std::int64_t>({1, 1, 2, 3});
        shape.query_heads = shape.kv_heads * random.one_of<std::int64_t>({1, 1, 1, 2, 3, 4, 5, 8});
        shape.queries = random.chance(0.4) ? edge(random, 70) : random.whole(1, 70);
        shape.keys = random.chance(0.4) ? edge(random, 300) : random.whole(1, 300);
        if (random.chance(0.3)) shape.keys = shape.queries;
        shape.head_dim = dimension(random);
        shape.value_dim = random.chance(0.5) ? shape.head_dim : dimension(random);
        const std::int64_t work = shape.batch * shape.query_heads * shape.queries * shape.keys *
                                  (shape.head_dim + shape.value_dim);
        if (work <= budget) return shape;
    }
}

/// Positions for `sets` batch items of `count` tokens: runs, gaps, repeats, out
/// of order, before zero, and at the ends of what an int32 holds.
std::vector<std::int32_t> random_positions(Random& random, std::int64_t count, std::int64_t sets,
                                           std::int64_t keys) {
    std::vector<std::int32_t> positions;
    for (std::int64_t set = 0; set < sets; ++set) {
        std::vector<std::int32_t> row(static_cast<std::size_t>(count));
        const auto start = static_cast<std::int32_t>(random.whole(-10, keys));
        std::iota(row.begin(), row.end(), start);
        switch (random.whole(0, 6)) {
            case 0:
                for (std::size_t at = 1; at < row.size(); ++at) {
                    row[at] = row[at - 1] + static_cast<std::int32_t>(random.whole(0, 3));
                }
                break;
            case 1: random.shuffle(row); break;
            case 2: std::reverse(row.begin(), row.end()); break;
            case 3:
                for (auto& at : row) at = static_cast<std::int32_t>(random.whole(-10, keys + 10));
                break;
            case 4:
                if (!random.chance(0.2)) break;
                for (auto& at : row) {
                    at = random.one_of<std::int32_t>(
                        {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX});
                }
                break;
            default: break;  // one run
        }
        positions.insert(positions.end(), row.begin(), row.end());
    }
    return positions;
}

/// Draws a shape that broadcasts to [B, Hq, T, S]; sets the number of values.
std::vector<std::int64_t> random_mask_shape(Random& random, const Shape& shape,
                                            std::size_t& values) {
    const std::array full = {shape.batch, shape.query_heads, shape.queries, shape.keys};
    const auto rank = static_cast<std::size_t>(random.whole(0, 4));
    std::vector<std::int64_t> dims;
    for (std::size_t axis = 4 - rank; axis < 4; ++axis) {
        dims.push_back(random.chance(0.3) ? 1 : full[axis]);
    }
    std::int64_t count = 1;
    for (const std::int64_t dim : dims) count *= dim;
    if (rank == 0) {  // an unnamed shape is [T, S] or everything
        count = shape.queries * shape.keys;
        if (random.chance(0.5)) count *= shape.batch * shape.query_heads;
    }
    values = static_cast<std::size_t>(count);
    return dims;
}

/// Which values of a mask let through: scattered, a run of each row, whole rows
/// out, or one in a row.
std::vector<std::uint8_t> random_pattern(Random& random, std::size_t count, std::size_t row) {
    std::vector<std::uint8_t> open(count);
    const double density = random.one_of({0.1, 0.5, 0.9});
    const std::int64_t kind = random.whole(0, 4);
    for (std::size_t start = 0; start < count; start += row) {
        const std::size_t length = std::min(row, count - start);
        const auto last = static_cast<std::int64_t>(length) - 1;
        std::int64_t from = random.whole(0, last);
        std::int64_t to = random.whole(from, last);
        if (kind == 2 && random.chance(0.3)) to = from - 1;  // whole row out
        if (kind == 3) to = from;
        for (std::size_t at = 0; at < length; ++at) {
            const auto key = static_cast<std::int64_t>(at);
            open[start + at] = kind <= 1 ? random.chance(density) : from <= key && key <= to;
        }
    }
    return open;
}

void add_window(Random& random, HeldProblem& held) {
    const std::int64_t keys = held.shape.keys;
    attention::Window window;
    switch (random.whole(0, 3)) {
        case 0:
            window.left = random.whole(0, keys);
            window.right = 0;
            break;
        case 1: window.left = random.whole(0, std::min<std::int64_t>(keys, 20)); break;
        case 2: window.right = random.whole(0, std::min<std::int64_t>(keys, 20)); break;
        default:
            window.left = random.whole(0, 30);
            window.right = random.whole(0, 30);
            break;
    }
    held.window = window;
}

void add_positions(Random& random, HeldProblem& held) {
    const Shape& shape = held.shape;
    const std::int64_t which = random.whole(0, 2);
    if (which != 1) {
        held.query_positions = random_positions(random, shape.queries,
                                                random.chance(0.5) ? 1 : shape.batch, shape.keys);
    }
    if (which != 0) {
        held.key_positions =
            random_positions(random, shape.keys, random.chance(0.5) ? 1 : shape.batch, shape.keys);
    }
}

void add_allowed(Random& random, HeldProblem& held) {
    std::size_t count = 0;
    HeldMask<std::uint8_t> mask;
    mask.shape = random_mask_shape(random, held.shape, count);
    const std::int64_t row = mask.shape.empty() ? held.shape.keys : mask.shape.back();
    mask.values = random_pattern(random, count, static_cast<std::size_t>(row));
    for (auto& value : mask.values) {
        if (value != 0) value = random.one_of<std::uint8_t>({1, 1, 1, 2, 128, 255});
    }
    held.allowed = mask;
}

void add_bias(Random& random, HeldProblem& held, Features& features) {
    std::size_t count = 0;
    HeldMask<float> mask;
    mask.shape = random_mask_shape(random, held.shape, count);
    mask.values = random.normals(static_cast<std::int64_t>(count));
    const float size = random.one_of({0.5F, 1.0F, 4.0F});
    for (float& value : mask.values) value *= size;
    if (random.chance(0.5)) {
        const std::int64_t row = mask.shape.empty() ? held.shape.keys : mask.shape.back();
        const auto open = random_pattern(random, count, static_cast<std::size_t>(row));
        for (std::size_t at = 0; at < count; ++at) {
            if (open[at] == 0) mask.values[at] = -infinity;
        }
    }
    if (random.chance(0.05)) {
        mask.values[static_cast<std::size_t>(random.whole(0, static_cast<int>(count) - 1))] =
            infinity;
        features.plus_infinity = true;
    }
    held.bias = mask;
}

void add_scale(Random& random, HeldProblem& held) {
    const double usual = 1.0 / std::sqrt(static_cast<double>(held.shape.head_dim));
    switch (random.whole(0, 5)) {
        case 0: held.scale = 0.0; break;
        case 1: held.scale = -usual; break;
        case 2: held.scale = 1.0; break;
        case 3: held.scale = 10.0 * usual; break;
        default: held.scale = (4.0 * random.fraction() - 2.0) * usual; break;
    }
}

float poison(Random& random) { return random.one_of({not_a_number, infinity, -infinity}); }

/// Fills every slot that no query reads, and the queries that read nothing, with
/// NaN and infinity. The tensors are still [b, h, t, d].
void poison_hidden(Random& random, HeldProblem& held) {
    const Shape& shape = held.shape;
    const attention::Problem problem = held.problem();
    const auto fill = [&random](std::vector<float>& tensor, std::int64_t row, std::int64_t dim) {
        for (std::int64_t d = 0; d < dim; ++d) {
            tensor[static_cast<std::size_t>(row * dim + d)] = poison(random);
        }
    };
    std::vector<std::uint8_t> query_sees(
        static_cast<std::size_t>(shape.batch * shape.query_heads * shape.queries));
    std::vector<std::uint8_t> key_seen(
        static_cast<std::size_t>(shape.batch * shape.kv_heads * shape.keys));
    for (std::int64_t b = 0; b < shape.batch; ++b) {
        for (std::int64_t h = 0; h < shape.query_heads; ++h) {
            const std::int64_t kv = h * shape.kv_heads / shape.query_heads;
            for (std::int64_t t = 0; t < shape.queries; ++t) {
                for (std::int64_t s = 0; s < shape.keys; ++s) {
                    if (oracle::hidden_by(problem, b, h, t, s) != 0) continue;
                    query_sees[static_cast<std::size_t>(
                        (b * shape.query_heads + h) * shape.queries + t)] = 1;
                    key_seen[static_cast<std::size_t>((b * shape.kv_heads + kv) * shape.keys + s)] =
                        1;
                }
            }
        }
    }
    for (std::size_t row = 0; row < key_seen.size(); ++row) {
        if (key_seen[row] != 0) continue;
        fill(held.k, static_cast<std::int64_t>(row), shape.head_dim);
        fill(held.v, static_cast<std::int64_t>(row), shape.value_dim);
    }
    for (std::size_t row = 0; row < query_sees.size(); ++row) {
        if (query_sees[row] == 0) fill(held.q, static_cast<std::int64_t>(row), shape.head_dim);
    }
}

/// One NaN that the queries which see it must show and the others must not.
void poison_one(Random& random, HeldProblem& held) {
    std::vector<float>& tensor = random.chance(0.5) ? held.v : held.k;
    const auto last = static_cast<std::int64_t>(tensor.size()) - 1;
    tensor[static_cast<std::size_t>(random.whole(0, last))] = not_a_number;
}

bool has_empty_row(const HeldProblem& held) {
    const Shape& shape = held.shape;
    const attention::Problem problem = held.problem();
    for (std::int64_t b = 0; b < shape.batch; ++b) {
        for (std::int64_t h = 0; h < shape.query_heads; ++h) {
            for (std::int64_t t = 0; t < shape.queries; ++t) {
                bool empty = true;
                for (std::int64_t s = 0; s < shape.keys && empty; ++s) {
                    empty = oracle::hidden_by(problem, b, h, t, s) != 0;
                }
                if (empty) return true;
            }
        }
    }
    return false;
}

}  // namespace

RandomProblem random_problem(std::uint64_t seed) {
    Random random(seed);
    RandomProblem made;
    Features& features = made.features;
    Shape shape = random_shape(random);
    features.no_pairs = random.chance(0.015);
    if (features.no_pairs) {
        (random.chance(0.6) ? shape.keys : random.chance(0.5) ? shape.queries : shape.batch) = 0;
    }
    HeldProblem& held = made.held;
    held = normal_problem(shape, seed);
    held.causal = random.chance(0.5);
    features.grouped = shape.query_heads > shape.kv_heads;
    features.windowed = random.chance(0.25);
    features.positioned = random.chance(0.25);
    features.allowed = !features.no_pairs && random.chance(0.3);
    features.biased = !features.no_pairs && random.chance(0.3);
    features.scaled = random.chance(0.5);
    features.capped = random.chance(0.25);
    if (features.windowed) add_window(random, held);
    if (features.positioned) add_positions(random, held);
    if (features.allowed) add_allowed(random, held);
    if (features.biased) add_bias(random, held, features);
    if (features.scaled) add_scale(random, held);
    if (features.capped) held.softcap = random.one_of({0.5, 1.0, 5.0, 30.0, 50.0});
    if (random.chance(0.05)) {
        made.value_scale = 1000.0;
        for (float& value : held.v) value *= 1000.0F;
    }

    features.empty_rows = has_empty_row(held);
    features.part_poisoned = !features.no_pairs && random.chance(0.08);
    if (features.part_poisoned) poison_one(random, held);
    features.poisoned = random.chance(0.4);
    if (features.poisoned) poison_hidden(random, held);

    features.token_first = random.chance(0.5);
    if (features.token_first) held = in_layout(held, Layout::bthd);
    // Off the alignment that an allocation gives, with NaN just outside.
    if (random.chance(0.3)) add_margin(held, random.whole(1, 3));
    return made;
}

std::optional<std::uint64_t> seed_from_environment() {
#ifdef __EMSCRIPTEN__
    // Emscripten's environment is its own; Node's is asked for by hand.
    const double seed = EM_ASM_DOUBLE({ return Number(process.env.ATTENTION_SEED || -1); });
    if (seed < 0) return std::nullopt;
    return static_cast<std::uint64_t>(seed);
#else
    const char* text = std::getenv("ATTENTION_SEED");
    if (text == nullptr || *text == '\0') return std::nullopt;
    return std::strtoull(text, nullptr, 10);
#endif
}

}  // namespace support
