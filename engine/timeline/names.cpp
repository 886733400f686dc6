#include "engine/timeline/names.h"

namespace engine {
namespace {

constexpr EnumArray<Track::Kind, std::string_view, kLaneKinds> kLanes{"compute", "send", "receive",
                                                                      "all-reduce", "copy"};
constexpr EnumArray<Iteration::Kind, std::string_view, 3> kIterationKinds{"warmup", "measured",
                                                                          "replay"};

} // namespace

std::string_view laneName(Track::Kind kind)
{
    return kLanes[kind];
}

std::optional<Track::Kind> laneNamed(std::string_view name)
{
    return kLanes.find(name);
}

std::string_view iterationKindName(Iteration::Kind kind)
{
    return kIterationKinds[kind];
}

std::optional<Iteration::Kind> iterationKindNamed(std::string_view name)
{
    return kIterationKinds.find(name);
}

} // namespace engine
