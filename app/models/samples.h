#pragma once

#include "app/models/prediction.h"

#include <QStringList>

#include <string_view>
#include <vector>

namespace app {

// A run to look at on a machine that has recorded none: simulated from the real schedule. Two
// schemes are a comparison.
struct Sample
{
    std::string_view title, line;
    std::vector<engine::ScheduleRequest> runs;
};

std::vector<Sample> samples(); // only schemes that this build has

// The files of a sample, simulated and written to the cache folder when they are not there yet.
engine::Result<QStringList> sampleFiles(const Sample& sample);

} // namespace app
