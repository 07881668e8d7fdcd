#include "support/onnx_cases.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "support/oracle.hpp"

namespace support::onnx {

using attention::Layout;
using attention::Shape;

namespace {

template <class Number>
void read_numbers(const std::string& data, std::size_t offset, std::vector<float>& values) {
    for (std::size_t at = 0; at < values.size(); ++at) {
        Number number;
        std::memcpy(&number, data.data() + offset + at * sizeof(Number), sizeof(Number));
        values[at] = static_cast<float>(number);
    }
}

/// The rest of an `in` or `out` line: DTYPE BYTE_OFFSET COUNT RANK d...
Tensor read_tensor(std::istream& line, const std::string& data) {
    Tensor tensor;
    std::size_t offset = 0;
    std::size_t count = 0;
    std::size_t rank = 0;
    line >> tensor.type >> offset >> count >> rank;
    tensor.shape.resize(rank);
    for (auto& dim : tensor.shape) line >> dim;
    const std::size_t size = tensor.type == "u8" ? 1 : 4;
    if (!line || offset + count * size > data.size()) {
        throw std::runtime_error("a tensor of cases.txt lies outside of data.bin");
    }
    tensor.values.resize(count);
    if (tensor.type == "f32") {
        read_numbers<float>(data, offset, tensor.values);
    } else if (tensor.type == "u8") {
        read_numbers<std::uint8_t>(data, offset, tensor.values);
    } else if (tensor.type == "i32") {
        read_numbers<std::int32_t>(data, offset, tensor.values);
    } else {
        throw std::runtime_error("cases.txt holds an unknown type: " + tensor.type);
    }
    return tensor;
}

std::vector<std::int64_t> read_list(std::istream& line) {
    std::size_t count = 0;
    line >> count;
    std::vector<std::int64_t> values(count);
    for (auto& value : values) line >> value;
    return values;
}

void read_line(std::istream& line, const std::string& word, const std::string& data, Case& one) {
    std::string name;
    if (word == "attr") {
        line >> name;
        line >> one.attributes[name];
    } else if (word == "dims") {
        Shape& s = one.shape;
        line >> s.batch >> s.query_heads >> s.kv_heads >> s.queries >> s.keys >> one.past >>
            s.head_dim >> s.value_dim;
    } else if (word == "q_pos0") {
        one.first_query_position = read_list(line);
    } else if (word == "kv_len") {
        one.valid_keys = read_list(line);
    } else if (word == "tol") {
        line >> one.absolute_tolerance >> one.relative_tolerance;
    } else if (word == "in" || word == "out") {
        line >> name;
        (word == "in" ? one.inputs : one.outputs)[name] = read_tensor(line, data);
    } else {
        throw std::runtime_error("cases.txt holds an unknown word: " + word);
    }
    if (!line) throw std::runtime_error("a line of cases.txt breaks off in " + one.name);
}

/// Past keys or values, always [B, Hkv, P, dim], before the new ones.
std::vector<float> with_past(const Case& one, const std::string& past, const std::string& fresh,
                             Layout layout, std::int64_t dim) {
    const Shape& s = one.shape;
    const std::vector<float> now = change_layout(one.inputs.at(fresh).values, layout, Layout::bhtd,
                                                 s.batch, s.kv_heads, s.keys - one.past, dim);
    std::vector<float> all;
    for (std::int64_t head = 0; head < s.batch * s.kv_heads; ++head) {
        const auto append = [&](const std::vector<float>& from, std::int64_t rows) {
            const auto start = from.begin() + head * rows * dim;
            all.insert(all.end(), start, start + rows * dim);
        };
        if (one.past > 0) append(one.inputs.at(past).values, one.past);
        append(now, s.keys - one.past);
    }
    return change_layout(all, Layout::bhtd, layout, s.batch, s.kv_heads, s.keys, dim);
}

/// A mask whose last axis is shorter than S, filled up with `hides`.
Tensor padded(const Tensor& mask, std::int64_t keys, float hides) {
    const std::int64_t length = mask.shape.back();
    if (length == keys || length == 1) return mask;
    Tensor wide{mask.type, mask.shape, {}};
    wide.shape.back() = keys;
    for (auto row = mask.values.begin(); row != mask.values.end(); row += length) {
        wide.values.insert(wide.values.end(), row, row + length);
        wide.values.insert(wide.values.end(), static_cast<std::size_t>(keys - length), hides);
    }
    return wide;
}

void set_mask(const Case& one, HeldProblem& held) {
    const auto found = one.inputs.find("attn_mask");
    if (found == one.inputs.end()) return;
    if (found->second.type == "u8") {
        const Tensor mask = padded(found->second, one.shape.keys, 0.0F);
        held.allowed = HeldMask<std::uint8_t>{{}, mask.shape};
        for (const float value : mask.values) held.allowed->values.push_back(value != 0.0F);
    } else {
        const Tensor mask =
            padded(found->second, one.shape.keys, -std::numeric_limits<float>::infinity());
        held.bias = HeldMask<float>{mask.values, mask.shape};
    }
}

/// Hides keys from `valid_keys` on, by a boolean mask of full rank that also
/// holds the case's own.
void hide_invalid_keys(const Case& one, HeldProblem& held) {
    const Shape& shape = one.shape;
    bool all_valid = true;
    for (const std::int64_t valid : one.valid_keys) all_valid = all_valid && valid == shape.keys;
    if (all_valid) return;
    const attention::Problem problem = held.problem();
    HeldMask<std::uint8_t> mask;
    mask.shape = {shape.batch, shape.query_heads, shape.queries, shape.keys};
    for (std::int64_t b = 0; b < shape.batch; ++b) {
        const std::int64_t valid = one.valid_keys[static_cast<std::size_t>(b)];
        for (std::int64_t h = 0; h < shape.query_heads; ++h) {
            for (std::int64_t t = 0; t < shape.queries; ++t) {
                for (std::int64_t s = 0; s < shape.keys; ++s) {
                    const attention::Hidden by = oracle::hidden_by(problem, b, h, t, s);
                    mask.values.push_back(s < valid && (by & attention::hidden::by_allowed) == 0);
                }
            }
        }
    }
    held.allowed = mask;
}

/// States the positions only where they are not the library's default, so that
/// the cases test the default too.
void set_positions(const Case& one, HeldProblem& held) {
    const Shape& s = one.shape;
    bool is_default = true;
    std::vector<std::int32_t> positions;
    for (const std::int64_t first : one.first_query_position) {
        is_default = is_default && first == s.keys - s.queries;
        for (std::int64_t query = 0; query < s.queries; ++query) {
            positions.push_back(static_cast<std::int32_t>(first + query));
        }
    }
    if (!is_default) held.query_positions = positions;
}

}  // namespace

double Case::attribute(const std::string& key, double otherwise) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? otherwise : found->second;
}

std::optional<std::vector<Case>> read_cases(const std::string& folder) {
    std::ifstream manifest(folder + "/cases.txt");
    std::ifstream binary(folder + "/data.bin", std::ios::binary);
    if (!manifest || !binary) return std::nullopt;
    const std::string data{std::istreambuf_iterator<char>(binary), {}};

    std::vector<Case> cases;
    bool open = false;
    for (std::string text; std::getline(manifest, text);) {
        std::istringstream line(text);
        std::string word;
        if (!(line >> word)) continue;
        if (word == "case") {
            if (open) throw std::runtime_error(cases.back().name + " has no end");
            cases.emplace_back();
            line >> cases.back().name >> cases.back().origin;
            open = true;
        } else if (word == "end") {
            open = false;
        } else {
            read_line(line, word, data, cases.back());
        }
    }
    if (open) throw std::runtime_error("cases.txt breaks off");
    return cases;
}

HeldProblem to_problem(const Case& one) {
    HeldProblem held;
    held.shape = one.shape;
    const bool token_first = one.inputs.at("Q").shape.size() == 3;
    held.layout = token_first ? Layout::bthd : Layout::bhtd;
    held.q = one.inputs.at("Q").values;
    held.k = with_past(one, "past_key", "K", held.layout, one.shape.head_dim);
    held.v = with_past(one, "past_value", "V", held.layout, one.shape.value_dim);
    held.causal = one.attribute("is_causal", 0) != 0;
    const double left = one.attribute("left_window_size", -1);
    const double right = one.attribute("right_window_size", -1);
    if (left >= 0 || right >= 0) held.window.emplace();
    if (left >= 0) held.window->left = static_cast<std::int64_t>(left);
    if (right >= 0) held.window->right = static_cast<std::int64_t>(right);
    if (one.attributes.contains("scale")) held.scale = one.attribute("scale", 0);
    held.softcap = one.attribute("softcap", 0);
    set_mask(one, held);
    hide_invalid_keys(one, held);
    set_positions(one, held);
    return held;
}

}  // namespace support::onnx
