// The independent answer. Attention evaluated straight from the contract, in
// the most naive way: its own index arithmetic, its own mask rule, whole rows,
// nothing shared with the library but the words a problem is stated in.
//
// In double it is the truth. In float it is the "plain float32 evaluation" whose
// error the contract takes as its measure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attention/attention.hpp"
#include "attention/heads.hpp"

namespace support::oracle {

/// As attention::Trace.
template <class Real>
struct Stages {
    std::vector<Real> dots;
    std::vector<Real> scores;
    std::vector<Real> capped;
    std::vector<Real> masked;
    std::vector<Real> weights;
    std::vector<attention::Hidden> hidden_by;
    std::vector<Real> row_max;
    std::vector<Real> row_sum;
    std::vector<Real> output;
};

/// The rules that hide a pair, read off the contract.
attention::Hidden hidden_by(const attention::Problem& problem, std::int64_t batch,
                            std::int64_t head, std::int64_t query, std::int64_t key);

/// All stages of a problem. A key is left out of a row if a rule hides it or if
/// its score is -infinity, however that came; a row without keys gives zeros.
template <class Real>
Stages<Real> evaluate(const attention::Problem& problem);

/// The same with other tensors than the problem's own, which need not be float.
template <class Real>
Stages<Real> evaluate(const attention::Problem& problem, std::span<const Real> q,
                      std::span<const Real> k, std::span<const Real> v);

/// As attention::LayerTrace.
template <class Real>
struct LayerStages {
    std::vector<Real> q;
    std::vector<Real> k;
    std::vector<Real> v;
    Stages<Real> attention;
    std::vector<Real> output;
};

template <class Real>
LayerStages<Real> evaluate_layer(const attention::Layer& layer);

}  // namespace support::oracle
