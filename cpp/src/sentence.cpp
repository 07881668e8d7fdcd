#include "sentence.hpp"

#include <cmath>

namespace attention {

std::string join(std::initializer_list<std::string_view> parts) {
    std::string whole;
    for (const std::string_view part : parts) whole += part;
    return whole;
}

namespace {

// A number from 0 to 10^15 with nine decimals, three from 10^9 on, less the zeros at
// the end. Enough for a sentence, and printf would be a twentieth of the WebAssembly.
std::string decimal(double number) {
    const std::int64_t unit = number < 1e9 ? 1000000000 : 1000;
    const std::int64_t units = std::llround(number * static_cast<double>(unit));
    std::string decimals = std::to_string(unit + units % unit).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    std::string digits = std::to_string(units / unit);
    if (!decimals.empty()) digits += "." + decimals;
    return digits;
}

}  // namespace

std::string text(double number) {
    if (std::isnan(number)) return "NaN";
    const std::string sign = number < 0 ? "-" : "";
    double size = std::abs(number);
    if (std::isinf(size)) return sign + "Infinity";
    if (size == 0 || (size >= 1e-5 && size < 1e15)) return sign + decimal(size);
    int exponent = 0;
    while (size >= 10) {
        size /= 10;
        ++exponent;
    }
    while (size < 1) {
        size *= 10;
        --exponent;
    }
    return join({sign, decimal(size), "e", std::to_string(exponent)});
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
