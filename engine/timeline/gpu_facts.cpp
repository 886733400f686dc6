#include "engine/timeline/gpu_facts.h"

#include "engine/timeline/gpu_trace.h"

#include <fmt/format.h>

#include <string_view>

namespace engine {

std::string throttleText(std::uint64_t throttle)
{
    static constexpr std::pair<Throttle, std::string_view> kWords[] = {
        {Throttle::ApplicationClocks, "application clocks"},
        {Throttle::PowerCap, "power cap"},
        {Throttle::Hardware, "hardware slowdown"},
        {Throttle::Sync, "sync boost"},
        {Throttle::Heat, "thermal slowdown"},
        {Throttle::HardwareHeat, "hardware thermal slowdown"},
        {Throttle::PowerBrake, "power brake"},
        {Throttle::DisplayClocks, "display clocks"},
    };
    std::string text;
    auto known = static_cast<std::uint64_t>(Throttle::Idle);
    for (const auto& [reason, word] : kWords) {
        known |= static_cast<std::uint64_t>(reason);
        if ((throttle & static_cast<std::uint64_t>(reason)) != 0)
            text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
    }
    if ((throttle & ~known) != 0)
        text += fmt::format("{}reason {:#x}", text.empty() ? "" : ", ", throttle & ~known);
    return text;
}

std::string clockText(const GpuClocks& clocks)
{
    if (clocks.samples == 0)
        return clocks.reason.empty() ? "" : "clocks are unknown: " + clocks.reason;
    const std::string slow = throttleText(clocks.throttle);
    return fmt::format("clocks {}..{} MHz (median {}), {}", clocks.least, clocks.most,
                       clocks.median, slow.empty() ? "no throttling" : "throttled: " + slow);
}

} // namespace engine
