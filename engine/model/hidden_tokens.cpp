#include "engine/model/hidden_tokens.h"

namespace engine {

// Selects hiddenTokens() tokens by selection sampling (Knuth, volume 2, algorithm S), so every
// subset of this size is equally likely.
void hideTokens(Random& random, std::span<std::int32_t> inputs, std::span<std::int32_t> targets)
{
    constexpr std::uint64_t kOf = 10, kHidden = 8, kReplaced = 9;
    std::uint64_t left = hiddenTokens(inputs.size());
    for (std::size_t t = 0; t < inputs.size(); ++t) {
        targets[t] = kNotPredicted;
        if (random.below(inputs.size() - t) >= left)
            continue;
        --left;
        targets[t] = inputs[t];
        const std::uint64_t fate = random.below(kOf);
        if (fate < kHidden)
            inputs[t] = kHiddenToken;
        else if (fate < kReplaced)
            inputs[t] = random.below(kHiddenToken);
    }
}

} // namespace engine
