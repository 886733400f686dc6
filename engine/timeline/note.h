#pragma once

#include "engine/timeline/timeline.h"

#include <optional>
#include <string>

namespace engine {

// A note on a time range of a run, or on one op of one iteration.
struct Note
{
    std::int64_t id = 0; // id in the run's file; above 0
    Window window;       // the marked time range; for a note on an op, the op's span
    int iteration = -1;  // index into Timeline::iterations; -1: no iteration
    std::optional<std::uint32_t> op
        = {};             // OpIndex of the schedule; nullopt: the note is on a time range
    DeviceId device = {}; // device of the op or range; invalid: all devices
    std::string text;     // UTF-8; "" for a bookmark
    std::string created;  // ISO 8601, UTC

    friend bool operator==(const Note&, const Note&) = default;
};

} // namespace engine
