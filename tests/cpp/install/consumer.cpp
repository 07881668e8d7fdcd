// Another project's program: the worked example through the installed headers.
#include <array>
#include <cmath>
#include <cstdio>

#include "attention/attention.hpp"

int main() {
    constexpr std::array<float, 18> x = {0.43F, 0.15F, 0.89F, 0.55F, 0.87F, 0.66F,
                                         0.57F, 0.85F, 0.64F, 0.22F, 0.58F, 0.33F,
                                         0.77F, 0.25F, 0.10F, 0.05F, 0.80F, 0.55F};
    attention::Problem problem;
    problem.shape = {.queries = 6, .keys = 6, .head_dim = 3, .value_dim = 3};
    problem.q = problem.k = problem.v = x;
    problem.scale = 1.0;

    attention::Trace trace;
    if (const attention::Status status = attention::trace(problem, trace); !status.ok()) {
        std::printf("trace: %s\n", status.message.c_str());
        return 1;
    }
    std::array<float, 18> output{};
    if (const attention::Status status = attention::attend(problem, output); !status.ok()) {
        std::printf("attend: %s\n", status.message.c_str());
        return 1;
    }
    // journey's row is 0.368 0.632, so its output is 0.368 * Your + 0.632 * journey.
    const float weight = trace.weights[6];
    const float first = output[3];
    const bool right = std::abs(weight - 0.368F) < 5e-4F && std::abs(first - 0.506F) < 5e-4F;
    std::printf("weight %.3f, output %.3f: %s\n", weight, first, right ? "right" : "wrong");
    return right ? 0 : 1;
}
