#pragma once

#include "engine/schedule/schedule.h"

namespace engine::parts {

// Where a micro-batch goes and when it should: its forward at stage s is due `forward` + s ticks
// after the start, its backward `backward` + S + 2(S-1-s). A tick is the forward of a stage; a
// backward takes two.
struct Entry
{
    int replica = 0;
    std::int64_t forward = 0, backward = 0;
};

// Fills the programs of an empty schedule: whenever a device is free it takes up what is ready and
// due first, a backward before a forward. A device begins with a micro-batch only while its
// unfinished ones have room for all their chunks in `mostStash`. Always a complete and valid order,
// since it is one that ran; the same for the same arguments. Time: ops x log(ops).
void writeByDue(Schedule& schedule, const std::vector<Entry>& entries, int mostStash);

} // namespace engine::parts
