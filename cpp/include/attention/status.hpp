// What a call says about itself: done, or one sentence about what was wrong.
//
// The library never throws. Every call that can fail returns a Status; the
// sentences are written here in the core and nowhere else, so that C++, Node,
// the command line and the page tell a person the same thing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attention {

enum class Code : std::uint8_t {
    ok,
    missing_field,  ///< a required field was not given
    unknown_field,  ///< a field that no problem has, most often a typing error
    wrong_type,     ///< text where a number belongs, and the like
    wrong_value,    ///< a number outside of what the field can hold
    wrong_shape,    ///< a tensor whose size does not follow from the counts
    too_large,      ///< within the rules, beyond a stated limit
    out_of_memory,  ///< the machine would not give the memory
    worker_died,    ///< a thread ended before its work was done
    unavailable,    ///< something that this build does not have
};

/// The code as JavaScript and the command line spell it, e.g. "wrong-shape".
std::string_view name(Code code);

/// The outcome of a call. `field` names the input at fault in the spelling of
/// the JavaScript face ("kvHeads"), `message` is one sentence that holds what
/// was expected and what came. After an error nothing was written to any
/// output, and the next call works.
struct [[nodiscard]] Status {
    Code code = Code::ok;
    std::string field;
    std::string message;

    bool ok() const { return code == Code::ok; }

    // Not inline: a Status is passed on at every check, and the code that moves its
    // strings would be a tenth of the WebAssembly.
    Status();
    Status(Code code, std::string field, std::string message);
    ~Status();
    Status(const Status& other);
    Status(Status&& other) noexcept;
    Status& operator=(const Status& other);
    Status& operator=(Status&& other) noexcept;
};

}  // namespace attention
