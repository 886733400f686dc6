#pragma once

#include "engine/timeline/run.h"

#include <string>
#include <vector>

namespace profiler {

// What makes the schedule of `found` differ from that of `published`, in at most three sentences.
// Both are simulated runs, of which the reported iterations are compared. Micro-batches are equal
// in theory, so they are first numbered in the order in which stage 0 starts them.
std::vector<std::string> differences(const engine::Run& published, const engine::Run& found);

} // namespace profiler
