#include "sentence.hpp"

#include <cmath>

namespace attention {

namespace {

// As std::to_string() has it, whose tables of digits and powers would be a hundredth of
// the WebAssembly.
std::string whole(std::int64_t number) {
    std::string digits;
    for (std::int64_t rest = number; rest != 0 || digits.empty(); rest /= 10) {
        const int digit = static_cast<int>(rest % 10);  // of the sign of the number
        digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    }
    return number < 0 ? "-" + digits : digits;
}

}  // namespace

void Word::append_to(std::string& sentence) const {
    switch (kind_) {
        case Kind::text: sentence.append(text_, size_); break;
        case Kind::number: sentence += whole(number_); break;
        case Kind::list:
            sentence += '[';
            for (std::size_t at = 0; at < size_; ++at) {
                if (at > 0) sentence += ", ";
                sentence += whole(list_[at]);
            }
            sentence += ']';
    }
}

std::string sentence(std::string_view pattern, std::initializer_list<Word> words) {
    std::string said;
    const Word* word = words.begin();
    for (const char letter : pattern) {
        if (letter == '%' && word != words.end()) {
            (word++)->append_to(said);
        } else {
            said += letter;
        }
    }
    return said;
}

namespace {

// A number from 0 to 10^15 with nine decimals, three from 10^9 on, less the zeros at
// the end. Enough for a sentence, and printf would be a twentieth of the WebAssembly.
std::string decimal(double number) {
    const std::int64_t unit = number < 1e9 ? 1000000000 : 1000;
    const std::int64_t units = std::llround(number * static_cast<double>(unit));
    std::string decimals = whole(unit + units % unit).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    std::string digits = whole(units / unit);
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
    return sentence("%%e%", {sign, decimal(size), std::int64_t{exponent}});
}

std::string quoted(std::string_view word) { return sentence("'%'", {word}); }

Status error(Code code, std::string_view field, std::string message) {
    return {code, std::string(field), std::move(message)};
}

Status find_name(std::string_view field, std::span<const std::string_view> names,
                 std::string_view word, int& into) {
    std::string list;
    for (std::size_t at = 0; at < names.size(); ++at) {
        if (names[at] == word) {
            into = static_cast<int>(at);
            return {};
        }
        if (at > 0) list += at + 1 < names.size() ? ", " : " or ";
        list += quoted(names[at]);
    }
    return wrong_value(field, list, quoted(word));
}

Status error(Code code, std::string_view field, std::string_view pattern,
             std::initializer_list<Word> words) {
    return error(code, field, sentence(pattern, words));
}

Status wrong_value(std::string_view field, std::string_view expected, const Word& got) {
    return error(Code::wrong_value, field, "% must be %, but is %", {field, expected, got});
}

Status too_small(std::string_view field, std::int64_t least, const Word& got) {
    return error(Code::wrong_value, field, "% must be a whole number of at least %, but is %",
                 {field, least, got});
}

}  // namespace attention
