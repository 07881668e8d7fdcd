// Memory whose size follows from a problem. It may be refused, and a refusal is
// a Status and not an abort, so it is asked for here and never by std::vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "sentence.hpp"

namespace attention {

/// `size` values of a trivial type at a multiple of 64 bytes (a cache line, and
/// the widest vector), uninitialised. Empty until reserved.
template <class Value>
class Buffer {
public:
    static constexpr std::size_t alignment = 64;

    Buffer() = default;
    ~Buffer() { std::free(data_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    /// False if the memory is not to be had.
    bool reserve(std::int64_t size) {
        if (size < 0 || static_cast<std::uint64_t>(size) > (SIZE_MAX - alignment) / sizeof(Value)) {
            return false;
        }
        const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(Value);
        std::free(data_);
        data_ = static_cast<Value*>(
            std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
        return data_ != nullptr || bytes == 0;
    }

    Value* data() const { return data_; }
    Value& operator[](std::int64_t index) const { return data_[index]; }

private:
    Value* data_ = nullptr;
};

inline Status out_of_memory(std::string_view what) {
    return error(Code::out_of_memory, "", "There is not enough memory for %.", {what});
}

}  // namespace attention
