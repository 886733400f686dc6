#pragma once

#include "engine/model/random.h"

#include <span>

namespace engine {

// Fills `numbers` with what Random(seed).normal() * deviation gives one after the other, rounded to
// float. The state of SplitMix64 is a counter, so that they can be made side by side: some twenty
// times as fast. Logarithm and cosine are our own polynomials, within 1e-15 of a libm's; of a
// hundred million floats one may round to its neighbour.
template<class Real>
void fillNormal(std::uint64_t seed, double deviation, std::span<Real> numbers);

} // namespace engine
