#include "sentence.hpp"

#include <cmath>

namespace attention {

std::string join(std::initializer_list<std::string_view> parts) {
    std::string whole;
    for (const std::string_view part : parts) whole += part;
    return whole;
}

// Nine decimals are enough for a sentence, and printf would be a twentieth of the
// WebAssembly.
std::string text(double number) {
    if (std::isnan(number)) return "NaN";
    if (number < 0) return "-" + text(-number);
    if (std::isinf(number)) return "Infinity";
    if (number == std::floor(number) && number < 1e15) {
        return std::to_string(static_cast<std::int64_t>(number));
    }
    if (number < 1e-5 || number >= 1e15) {
        int exponent = 0;
        for (; number >= 10; number /= 10) ++exponent;
        for (; number < 1; number *= 10) --exponent;
        return join({text(number), "e", std::to_string(exponent)});
    }
    const double whole = std::floor(number);
    const auto billionths = static_cast<std::int64_t>((number - whole) * 1e9 + 0.5);
    std::string decimals = std::to_string(1000000000 + billionths).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    std::string digits = std::to_string(static_cast<std::int64_t>(whole));
    if (!decimals.empty()) digits += "." + decimals;
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
