#pragma once

#include "engine/timeline/run.h"

#include <string>
#include <vector>

namespace profiler {

// A setting that is not the same in all runs of a comparison.
struct Difference
{
    std::string title;               // "N", "model", "--learning-rate"
    std::vector<std::string> values; // [run]; "" if the run does not have the setting
};

// Differences of shape, mode, model, machine and links, then those of the options with which the
// runs were recorded.
std::vector<Difference> differences(const std::vector<const engine::Run*>& runs);

// The labels of the runs; runs with the same label are named by what differs between them:
// "1F1B, W = 2". Runs that do not differ are numbered.
std::vector<std::string> distinctLabels(const std::vector<const engine::Run*>& runs);

} // namespace profiler
