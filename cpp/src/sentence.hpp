// The words of error sentences. Every sentence that a person reads about bad
// input is put together by this file, status.hpp and their callers in cpp/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "attention/status.hpp"

namespace attention {

/// What stands for a % of a sentence: a text, a whole number, or a list [2, 3, 4].
/// It looks at what it was made from.
class Word {
public:
    Word(const char* text) : Word(std::string_view(text)) {}
    Word(const std::string& text) : Word(std::string_view(text)) {}
    Word(std::string_view text) : size_(text.size()), text_(text.data()) {}
    Word(std::int64_t number) : kind_(Kind::number), number_(number) {}
    Word(std::span<const std::int64_t> list)
        : kind_(Kind::list), size_(list.size()), list_(list.data()) {}

    void append_to(std::string& sentence) const;

private:
    enum class Kind : std::uint8_t { text, number, list };
    Kind kind_ = Kind::text;
    std::size_t size_ = 0;
    union {
        const char* text_;
        std::int64_t number_;
        const std::int64_t* list_;
    };
};

/// The pattern with each % replaced by the next word.
std::string sentence(std::string_view pattern, std::initializer_list<Word> words);

/// Shortest decimal text that a person would write: 3, 0.5, NaN, Infinity.
std::string text(double number);

/// 'word'
std::string quoted(std::string_view word);

/// The place of a word among the names that a field may hold. Errors: wrong_value,
/// with all of them in the sentence.
Status find_name(std::string_view field, std::span<const std::string_view> names,
                 std::string_view word, int& into);

Status error(Code code, std::string_view field, std::string message);
Status error(Code code, std::string_view field, std::string_view pattern,
             std::initializer_list<Word> words);

/// "queries must be a whole number of at least 0, but is 2.5"
Status wrong_value(std::string_view field, std::string_view expected, const Word& got);

/// The same of a whole number that is less than `least`.
Status too_small(std::string_view field, std::int64_t least, const Word& got);

}  // namespace attention
