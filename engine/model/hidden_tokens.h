#pragma once

#include "engine/model/random.h"

#include <span>

namespace engine {

// Masked-token prediction (Devlin et al., 2019) on bytes.
constexpr std::int32_t kHiddenToken = 256; // replaces a hidden byte
constexpr std::int32_t kNotPredicted = -1; // target of a token that is not predicted
constexpr double kHiddenShare = 0.15;

// Returns the number of predicted tokens per sample. The number is constant, so that all
// micro-batches have equal weight.
constexpr int hiddenTokens(int sequence)
{
    const int count = static_cast<int>(kHiddenShare * sequence + 0.5); // NOLINT: constexpr
    return count > 0 ? count : 1;
}

// Selects the predicted tokens of a sample: 80 % of them are hidden, 10 % become another byte, and
// 10 % are unchanged. The targets of all other tokens become kNotPredicted.
void hideTokens(Random& random, std::span<std::int32_t> inputs, std::span<std::int32_t> targets);

} // namespace engine
