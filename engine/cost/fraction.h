#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace engine {

// An exact cost in abstract units: numerator / denominator. Parses "1", "0.5", "2.25" and "1/3".
struct Fraction
{
    std::int64_t numerator = 0, denominator = 1; // lowest terms, denominator > 0

    double value() const { return ratio(numerator, denominator); }
    friend bool operator==(const Fraction&, const Fraction&) = default;
};
Fraction reduced(std::int64_t numerator, std::int64_t denominator); // the fraction in lowest terms
// These return nullopt on overflow.
std::optional<Fraction> product(Fraction a, Fraction b);
std::optional<Fraction> sum(Fraction a, Fraction b);
Fraction inverse(Fraction f);                          // requires f != 0
Result<Fraction> parseFraction(std::string_view text); // finite, >= 0, at most 9 decimals
std::string textOf(Fraction f);                        // "0.5", "1/3": parseFraction() reads it

} // namespace engine
