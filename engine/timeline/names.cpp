#include "engine/timeline/names.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 5> kLanes{"compute", "send", "receive", "all-reduce",
                                                 "copy"};
constexpr std::array<std::string_view, 3> kIterationKinds{"warmup", "measured", "replay"};

template<class Enum, std::size_t N>
std::optional<Enum> named(const std::array<std::string_view, N>& names, std::string_view name)
{
    const auto* found = std::ranges::find(names, name);
    if (found == names.end())
        return std::nullopt;
    return static_cast<Enum>(found - names.begin());
}

} // namespace

std::string_view laneName(Track::Kind kind)
{
    return kLanes[static_cast<std::size_t>(kind)];
}

std::optional<Track::Kind> laneNamed(std::string_view name)
{
    return named<Track::Kind>(kLanes, name);
}

std::string_view iterationKindName(Iteration::Kind kind)
{
    return kIterationKinds[static_cast<std::size_t>(kind)];
}

std::optional<Iteration::Kind> iterationKindNamed(std::string_view name)
{
    return named<Iteration::Kind>(kIterationKinds, name);
}

} // namespace engine
