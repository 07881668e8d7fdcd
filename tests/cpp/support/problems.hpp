// A maker of random problems over everything that the contract allows.
#pragma once

#include <cstdint>
#include <optional>

#include "support/held_problem.hpp"

namespace support {

/// What went into a random problem, so that a test can tell that nothing that
/// it means to cover has quietly dropped out.
struct Features {
    bool grouped = false;
    bool windowed = false;
    bool positioned = false;
    bool allowed = false;
    bool biased = false;
    bool plus_infinity = false;
    bool capped = false;
    bool scaled = false;
    bool poisoned = false;       ///< NaN and infinity in slots that no query sees
    bool part_poisoned = false;  ///< a NaN that some queries see and others do not
    bool empty_rows = false;
    bool no_pairs = false;  ///< some axis of length 0
    bool token_first = false;
};

struct RandomProblem {
    HeldProblem held;
    double value_scale = 1.0;  ///< the size of the values in v
    Features features;
};

/// The problem of a seed: the same one everywhere.
RandomProblem random_problem(std::uint64_t seed);

/// The seed to look at alone: ATTENTION_SEED in the environment.
std::optional<std::uint64_t> seed_from_environment();

}  // namespace support
