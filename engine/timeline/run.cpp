#include "engine/timeline/run.h"

#include <cmath>

namespace engine {
namespace {

constexpr EnumArray<Mode, std::string_view, 4> kModes{"simulate", "emulate", "live", "imported"};
constexpr EnumArray<Outcome, std::string_view, 4> kOutcomes{"running", "finished", "cancelled",
                                                            "failed"};

} // namespace

std::string_view modeName(Mode mode)
{
    return kModes[mode];
}

std::optional<Mode> modeNamed(std::string_view name)
{
    return kModes.find(name);
}

std::string_view modeAdjective(Mode mode)
{
    static constexpr EnumArray<Mode, std::string_view, 4> kAdjectives{"simulated", "emulated",
                                                                      "live", "imported"};
    return kAdjectives[mode];
}

std::string modeDescription(const RunInfo& info)
{
    std::string text(modeAdjective(info.mode));
    if (info.isOversubscribed())
        text += ", oversubscribed (" + std::to_string(info.threads) + " threads, "
            + std::to_string(info.cores) + (info.cores == 1 ? " core)" : " cores)");
    if (info.isDisturbed())
        text += ", disturbed (CPU share " + std::to_string(std::lround(100 * *info.cpuShare))
            + " %)";
    return text;
}

const ArenaUse* arenaOf(const RunInfo& info, DeviceId device)
{
    return info.arenas.has(device) ? &info.arenas[device] : nullptr;
}

std::string_view outcomeName(Outcome outcome)
{
    return kOutcomes[outcome];
}

std::optional<Outcome> outcomeNamed(std::string_view name)
{
    return kOutcomes.find(name);
}

} // namespace engine
