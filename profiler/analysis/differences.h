#pragma once

#include "engine/timeline/run.h"

#include <string>
#include <utility>
#include <vector>

namespace profiler {

// A setting that differs between the compared runs.
struct Difference
{
    std::string title;               // "N", "model", "--learning-rate"
    std::vector<std::string> values; // one per run; "" if the run does not have the setting
};

// Returns the settings of a run that may differ between runs, with their titles: shape, mode,
// model, machine and links, followed by the given options of its command.
std::vector<std::pair<std::string, std::string>> settingsOf(const engine::Run& run);

// Returns the settings that differ, in the order of settingsOf().
std::vector<Difference> differences(const std::vector<const engine::Run*>& runs);

// Returns a unique label for each run. Equal labels are extended by the settings that differ, as in
// "1F1B, W = 2", or by a number if none with a short value differs.
std::vector<std::string> distinctLabels(const std::vector<const engine::Run*>& runs);

} // namespace profiler
