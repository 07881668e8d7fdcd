#include "attention/predicate.hpp"

#include "sentence.hpp"

namespace attention::predicate {

// Text that C, JavaScript and most readers understand alike; floor() rounds down.

// As all predicates have it, of an object.
// NOLINTBEGIN(readability-convert-member-functions-to-static)
std::string Causal::code() const { return "key <= query"; }

std::string Documents::code() const { return "documents[query] == documents[key]"; }
// NOLINTEND(readability-convert-member-functions-to-static)

std::string SlidingWindow::code() const {
    return sinks == 0 ? sentence("key <= query && query - key < %", {width})
                      : sentence("key <= query && (query - key < % || key < %)", {width, sinks});
}

std::string Prefix::code() const { return sentence("key < %", {length}); }

std::string BlockSparse::code() const {
    const std::string near = sentence("floor(query / %) - floor(key / %) < %", {size, size, local});
    if (stride == 0) return sentence("key <= query && %", {near});
    return sentence("key <= query && (% || (floor(key / %) + 1) % % == 0)",
                    {near, size, "%", stride});
}

std::string Dilated::code() const {
    return sentence("key <= query && query - key < % && (query - key) % % == 0",
                    {width, "%", dilation});
}

}  // namespace attention::predicate
