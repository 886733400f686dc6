#include "profiler/import/json_value.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace profiler {

namespace {
constexpr double kMostNanoseconds = 9e18;

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
        text.remove_suffix(1);
    return text;
}

std::optional<std::int64_t> fromReal(const std::string& text)
{
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end) * 1000;
    const bool fits = end == text.c_str() + text.size() && std::abs(value) < kMostNanoseconds;
    return fits ? std::optional(std::llround(value)) : std::nullopt;
}
} // namespace

std::string_view unquoted(std::string_view token)
{
    token = trimmed(token);
    const bool isQuoted = token.size() >= 2 && token.front() == '"' && token.back() == '"';
    return isQuoted ? token.substr(1, token.size() - 2) : token;
}

// Not through a double, which has too few digits for ns of a clock that began in 1970.
std::optional<std::int64_t> nanosecondsFrom(std::string_view token)
{
    const std::string_view text = unquoted(token);
    const std::size_t point = std::min(text.find('.'), text.size());
    const auto isDigit = [](char c) { return '0' <= c && c <= '9'; };
    const bool isPlain
        = std::ranges::all_of(text.substr(std::min(point + 1, text.size())), isDigit);
    const auto whole = engine::parseInteger<std::int64_t>(text.substr(0, point));
    constexpr std::int64_t kMost = 9'000'000'000'000'000;
    if (!isPlain || !whole)
        return text.empty() || text.size() > 40 ? std::nullopt : fromReal(std::string(text));
    if (*whole > kMost || *whole < -kMost)
        return std::nullopt;
    std::int64_t fraction = 0;
    for (std::size_t i = 1; i <= 3; ++i)
        fraction = 10 * fraction + (point + i < text.size() ? text[point + i] - '0' : 0);
    return 1000 * *whole + (text.front() == '-' ? -fraction : fraction);
}

std::optional<std::int64_t> integerFrom(std::string_view token)
{
    return engine::parseInteger<std::int64_t>(unquoted(token));
}

} // namespace profiler
