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

/// Joins the parts; spares the callers a chain of pluses.
std::string join(std::initializer_list<std::string_view> parts);

/// Shortest decimal text that a person would write: 3, 0.5, NaN, Infinity.
std::string text(double number);

/// [2, 3, 4]
std::string text(std::span<const std::int64_t> sizes);

Status error(Code code, std::string_view field, std::string message);

/// "queries must be a whole number of at least 0, but is 2.5"
Status wrong_value(std::string_view field, std::string_view expected, std::string_view got);

}  // namespace attention
