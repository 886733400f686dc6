#include "engine/timeline/run.h"

#include <array>

namespace engine {

std::string_view modeName(Mode mode)
{
    static constexpr std::array<std::string_view, 4> kNames{"simulate", "emulate", "live",
                                                            "imported"};
    return kNames[static_cast<std::size_t>(mode)];
}

std::string_view modeAdjective(Mode mode)
{
    static constexpr std::array<std::string_view, 4> kAdjectives{"simulated", "emulated", "live",
                                                                 "imported"};
    return kAdjectives[static_cast<std::size_t>(mode)];
}

std::string modeDescription(const RunInfo& info)
{
    std::string words(modeAdjective(info.mode));
    if (info.isOversubscribed())
        words += ", oversubscribed (" + std::to_string(info.threads) + " threads, "
            + std::to_string(info.cores) + (info.cores == 1 ? " core)" : " cores)");
    return words;
}

const ArenaUse* arenaOf(const RunInfo& info, DeviceId device)
{
    const auto index = static_cast<std::size_t>(device.value);
    return index < info.arenas.size() ? &info.arenas[index] : nullptr;
}

std::string_view outcomeName(Outcome outcome)
{
    static constexpr std::array<std::string_view, 4> kNames{"running", "finished", "cancelled",
                                                            "failed"};
    return kNames[static_cast<std::size_t>(outcome)];
}

} // namespace engine
