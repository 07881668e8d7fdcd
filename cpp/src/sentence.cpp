#include "sentence.hpp"

#include <cmath>
#include <cstdio>

namespace attention {

std::string join(std::initializer_list<std::string_view> parts) {
    std::string whole;
    for (const std::string_view part : parts) whole += part;
    return whole;
}

std::string text(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.10g", number);
    return digits;
}

std::string text(std::span<const std::int64_t> sizes) {
    std::string list = "[";
    for (const std::int64_t size : sizes) {
        if (list.size() > 1) list += ", ";
        list += std::to_string(size);
    }
    return list + "]";
}

Status error(Code code, std::string_view field, std::string message) {
    return {code, std::string(field), std::move(message)};
}

Status wrong_value(std::string_view field, std::string_view expected, std::string_view got) {
    return error(Code::wrong_value, field, join({field, " must be ", expected, ", but is ", got}));
}

}  // namespace attention
