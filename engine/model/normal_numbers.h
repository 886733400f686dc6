#pragma once

#include "engine/model/random.h"

#include <span>

namespace engine {

// Fills `numbers` with successive values of Random(seed).normal() * deviation, rounded to float.
// About twenty times as fast as calls of normal(): the loop is vectorized, because the state of
// SplitMix64 is a counter. Logarithm and cosine are polynomials within 1e-15 of libm; about one
// float in 1e8 differs in rounding.
template<class Real>
void fillNormal(std::uint64_t seed, double deviation, std::span<Real> numbers);

} // namespace engine
