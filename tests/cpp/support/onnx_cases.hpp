// The conformance cases of the ONNX `Attention` operator, read from cases.txt
// and data.bin (see README.md beside them). They stay outside of the repository.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/held_problem.hpp"

namespace support::onnx {

/// All kinds of number are held as float, which is exact for what is stored.
struct Tensor {
    std::string type;  ///< f32, u8 or i32
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

struct Case {
    std::string name;
    std::string origin;  ///< file or generator
    std::map<std::string, double> attributes;
    attention::Shape shape;  ///< its keys count the past
    std::int64_t past = 0;
    std::vector<std::int64_t> first_query_position;  ///< for each batch item
    std::vector<std::int64_t> valid_keys;            ///< for each batch item
    double absolute_tolerance = 0.0;
    double relative_tolerance = 0.0;
    std::map<std::string, Tensor> inputs;
    std::map<std::string, Tensor> outputs;

    double attribute(const std::string& key, double otherwise) const;
};

/// All cases of a folder; none if it is not there. A file that breaks off or
/// holds something unknown throws.
std::optional<std::vector<Case>> read_cases(const std::string& folder);

/// The case as a problem of this library: past and new keys put together, its
/// mask widened to all keys, keys beyond the valid ones hidden.
HeldProblem to_problem(const Case& one);

}  // namespace support::onnx
