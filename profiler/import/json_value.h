#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace profiler {

// `token` without its quotes, if it has any.
std::string_view unquoted(std::string_view token);

// Microseconds as a JSON number, or as a text with a number, in ns; nullopt if it is not finite or
// more than 285 years. Digits below 1 ns are dropped.
std::optional<std::int64_t> nanosecondsFrom(std::string_view token);

// An integer as a JSON number, or as a text with a number.
std::optional<std::int64_t> integerFrom(std::string_view token);

} // namespace profiler
