#pragma once

#include "engine/model/random.h"

#include <span>

namespace engine {

// Fills `numbers` with successive values of Random(seed).normal() * deviation, rounded to float.
// The state of SplitMix64 is a counter, so the loop can be vectorized and is about twenty times as
// fast. Logarithm and cosine are polynomials within 1e-15 of libm; about one float in 1e8 is
// rounded differently.
template<class Real>
void fillNormal(std::uint64_t seed, double deviation, std::span<Real> numbers);

} // namespace engine
