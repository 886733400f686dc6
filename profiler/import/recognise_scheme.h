#pragma once

#include "engine/schedule/schedule.h"

#include <string>

namespace profiler {

struct RecognisedScheme
{
    std::string name = "imported", title; // `title` is "" if no scheme has this order
};

// Finds the scheme whose order of compute ops on every device equals that of `schedule`.
RecognisedScheme recogniseScheme(const engine::Schedule& schedule);

} // namespace profiler
