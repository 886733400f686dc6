#pragma once

#include "engine/schedule/schedule.h"

#include <string>

namespace profiler {

struct RecognisedScheme
{
    std::string name = "imported", title; // title: "" if no scheme has this order
};

// The scheme that orders the compute ops of every device as `schedule` does.
RecognisedScheme recogniseScheme(const engine::Schedule& schedule);

} // namespace profiler
