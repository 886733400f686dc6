#pragma once

#include "engine/model/random.h"

#include <span>

namespace engine {

// Masked-token prediction (Devlin et al., 2019) on bytes.
constexpr std::int32_t kHiddenToken = 256; // replaces a hidden byte
constexpr std::int32_t kNotPredicted = -1; // target of a token that is not predicted
constexpr double kHiddenShare = 0.15;

// Number of predicted tokens per sample; constant, so that micro-batches have equal weight.
constexpr int hiddenTokens(int sequence)
{
    const int count = static_cast<int>(kHiddenShare * sequence + 0.5); // NOLINT: constexpr
    return count > 0 ? count : 1;
}

// Prepares a sample: of the predicted tokens 80 % are hidden, 10 % become another byte, and 10 %
// stay.
void hideTokens(Random& random, std::span<std::int32_t> inputs, std::span<std::int32_t> targets);

} // namespace engine
