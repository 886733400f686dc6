#include "engine/cost/fraction.h"

#include "engine/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

// The largest number of digits on each side of the point or slash, so that a product of two parts
// fits in 64 bits.
constexpr std::size_t kMostDigits = 9;

auto notANumber(std::string_view text)
{
    return invalid("'{}' is not a cost; write a non-negative number with at most {} "
                   "digits on each side of the point, as in 2, 0.5 or 1/3",
                   text, kMostDigits);
}

// Accepts only digits, without a sign.
std::optional<std::int64_t> parseDigits(std::string_view text)
{
    if (text.size() > kMostDigits || text.starts_with('-'))
        return std::nullopt;
    return parseInteger<std::int64_t>(text);
}

std::optional<Fraction> parseQuotient(std::string_view text, std::size_t slash)
{
    const auto numerator = parseDigits(text.substr(0, slash));
    const auto denominator = parseDigits(text.substr(slash + 1));
    if (!numerator || !denominator || *denominator == 0)
        return std::nullopt;
    return reduced(*numerator, *denominator);
}

std::optional<Fraction> parseDecimal(std::string_view text)
{
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view decimals = text.substr(std::min(point + 1, text.size()));
    const auto whole = parseDigits(text.substr(0, point));
    const auto part = point == text.size() ? std::optional<std::int64_t>(0) : parseDigits(decimals);
    if (!whole || !part)
        return std::nullopt;
    std::int64_t denominator = 1;
    for (std::size_t i = 0; i < decimals.size(); ++i)
        denominator *= 10;
    return reduced(*whole * denominator + *part, denominator);
}

} // namespace

Fraction reduced(std::int64_t numerator, std::int64_t denominator)
{
    const std::int64_t divisor = std::gcd(numerator, denominator);
    return {numerator / divisor, denominator / divisor};
}

std::optional<Fraction> product(Fraction a, Fraction b)
{
    const Fraction left = reduced(a.numerator, b.denominator);
    const Fraction right = reduced(b.numerator, a.denominator);
    Fraction result;
    if (__builtin_mul_overflow(left.numerator, right.numerator, &result.numerator)
        || __builtin_mul_overflow(left.denominator, right.denominator, &result.denominator))
        return std::nullopt;
    return reduced(result.numerator, result.denominator);
}

std::optional<Fraction> sum(Fraction a, Fraction b)
{
    const std::int64_t common = std::gcd(a.denominator, b.denominator);
    std::int64_t left = 0, right = 0, numerator = 0, denominator = 0;
    if (__builtin_mul_overflow(a.numerator, b.denominator / common, &left)
        || __builtin_mul_overflow(b.numerator, a.denominator / common, &right)
        || __builtin_add_overflow(left, right, &numerator)
        || __builtin_mul_overflow(a.denominator, b.denominator / common, &denominator))
        return std::nullopt;
    return reduced(numerator, denominator);
}

Fraction inverse(Fraction f)
{
    return {f.denominator, f.numerator};
}

Result<Fraction> parseFraction(std::string_view text)
{
    const std::size_t slash = text.find('/');
    const auto fraction
        = slash == std::string_view::npos ? parseDecimal(text) : parseQuotient(text, slash);
    if (!fraction)
        return notANumber(text);
    return *fraction;
}

std::string textOf(Fraction f)
{
    std::int64_t scale = 1;
    for (std::size_t decimals = 0; decimals <= kMostDigits; ++decimals, scale *= 10)
        if (scale % f.denominator == 0) {
            const std::int64_t scaled = f.numerator * (scale / f.denominator);
            return decimals == 0
                ? std::to_string(scaled)
                : fmt::format("{}.{:0{}}", scaled / scale, scaled % scale, decimals);
        }
    return fmt::format("{}/{}", f.numerator, f.denominator);
}

} // namespace engine
