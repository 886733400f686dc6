#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace engine {

// Returns the longest time in ns that an op may run before the GPU is treated as lost. `before` is
// the op's time in an earlier iteration in ns; 0: it has not run yet.
constexpr std::int64_t longestOp(std::chrono::nanoseconds patience, std::int64_t before)
{
    constexpr std::int64_t kTimes = 20, kUnknown = 12;
    return before > 0 ? std::max(patience.count(), kTimes * before) : kUnknown * patience.count();
}

// `what` is the subject of the sentence: "it" (the op) or "the work queued before it".
inline std::string endlessText(std::int64_t nanoseconds, const char* what = "it")
{
    return fmt::format("{} has been running for {:.1f} s without completing", what,
                       static_cast<double>(nanoseconds) / 1e9);
}

// Thrown if the GPU no longer responds (Executor::devicesAreLost).
class EndlessOp : public std::runtime_error
{
public:
    explicit EndlessOp(std::int64_t nanoseconds, const char* what = "it")
        : std::runtime_error(endlessText(nanoseconds, what))
    { }
};

} // namespace engine
