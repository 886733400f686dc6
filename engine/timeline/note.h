#pragma once

#include "engine/timeline/timeline.h"

#include <optional>
#include <string>

namespace engine {

// A note on a stretch of a run's time, or to one op of one iteration.
struct Note
{
    std::int64_t id = 0;                  // in the run's file; above 0
    Window window;                        // on the timeline's clock; of an op, its span
    int iteration = -1;                   // index into Timeline::iterations; -1: none in particular
    std::optional<std::uint32_t> op = {}; // OpIndex of the schedule; none: of the time
    DeviceId device = {};                 // of the op, or what is meant; invalid: all of them
    std::string text;                     // UTF-8; "": a bookmark
    std::string created;                  // ISO 8601, UTC

    friend bool operator==(const Note&, const Note&) = default;
};

} // namespace engine
