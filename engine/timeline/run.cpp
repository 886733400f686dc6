#include "engine/timeline/run.h"

#include <algorithm>
#include <array>
#include <span>

namespace engine {
namespace {

constexpr std::array<std::string_view, 4> kModes{"simulate", "emulate", "live", "imported"};
constexpr std::array<std::string_view, 4> kOutcomes{"running", "finished", "cancelled", "failed"};

template<class Enum>
std::optional<Enum> named(std::span<const std::string_view> names, std::string_view name)
{
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt
                                : std::optional(static_cast<Enum>(found - names.begin()));
}

} // namespace

std::string_view modeName(Mode mode)
{
    return kModes[static_cast<std::size_t>(mode)];
}

std::optional<Mode> modeNamed(std::string_view name)
{
    return named<Mode>(kModes, name);
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
    return kOutcomes[static_cast<std::size_t>(outcome)];
}

std::optional<Outcome> outcomeNamed(std::string_view name)
{
    return named<Outcome>(kOutcomes, name);
}

} // namespace engine
