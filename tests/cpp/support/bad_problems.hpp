// Problems with one thing wrong, and what the library has to say about each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "attention/attention.hpp"
#include "support/held_problem.hpp"

namespace support {

/// B 2, Hq 4, Hkv 2, T 3, S 5, D 6, Dv 7: no two sizes are the same.
HeldProblem good_problem();

struct BadProblem {
    std::string what;
    std::string field;
    attention::Code code;
    std::vector<std::string> fragments;  ///< of the sentence: what was expected, what came
    std::function<void(HeldProblem&)> spoil;
};

const std::vector<BadProblem>& bad_counts_and_tensors();
const std::vector<BadProblem>& bad_numbers();  ///< scale, softcap, window
const std::vector<BadProblem>& bad_masks();    ///< positions, allowed, bias

}  // namespace support
