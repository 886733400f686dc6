#pragma once

#include "engine/timeline/timeline.h"

#include <optional>
#include <string_view>

namespace engine {

// Names for files and tables: "all-reduce", "warmup". laneNamed() and iterationKindNamed() return
// nullopt for an unknown name.
std::string_view laneName(Track::Kind kind);
std::optional<Track::Kind> laneNamed(std::string_view name);
std::string_view iterationKindName(Iteration::Kind kind);
std::optional<Iteration::Kind> iterationKindNamed(std::string_view name);

} // namespace engine
