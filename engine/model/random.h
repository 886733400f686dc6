#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>

namespace engine {

// SplitMix64 (Steele, Lea, Flood, 2014). It gives the same numbers on every machine, which the
// distributions of <random> do not guarantee.
class Random
{
public:
    static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL; // increment of the state

    explicit Random(std::uint64_t seed)
        : m_state(seed)
    { }

    std::uint64_t next()
    {
        m_state += kStep;
        return mix(m_state);
    }
    // From 0 to bound - 1. The bias is below bound / 2^64.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    // In (0, 1), with 53 random bits.
    double uniform() { return (static_cast<double>(next() >> 11U) + 0.5) * 0x1p-53; }
    // Box-Muller in double. Rounding to float removes differences between implementations of libm.
    double normal()
    {
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

    static std::uint64_t mix(std::uint64_t z)
    {
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }
    // Derives a seed from a seed and a value. Nested calls combine more values.
    static std::uint64_t combine(std::uint64_t seed, std::uint64_t value)
    {
        return mix(seed * kStep + mix(value + 0x632BE59BD9B4E019ULL));
    }
    static std::uint64_t combine(std::uint64_t seed, std::string_view text)
    {
        std::uint64_t hash = 0xCBF29CE484222325ULL; // FNV-1a
        for (const char c : text)
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
        return combine(seed, hash);
    }

private:
    std::uint64_t m_state;
};

// Fills `numbers` with successive values of Random(seed).normal() * deviation, rounded to float.
// About twenty times as fast as calls of normal(): the loop is vectorized, because the state of
// SplitMix64 is a counter. Logarithm and cosine are polynomials within 1e-15 of libm; about one
// float in 1e8 differs in rounding.
template<class Real>
void fillNormal(std::uint64_t seed, double deviation, std::span<Real> numbers);

} // namespace engine
