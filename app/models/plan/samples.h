#pragma once

#include "app/models/plan/prediction.h"

#include <QStringList>

#include <string_view>
#include <vector>

namespace app {

// A run to look at on a machine that has recorded none. Two schemes are a comparison.
struct Sample
{
    std::string_view title, line;
    std::vector<engine::ScheduleRequest> runs;
    QStringList recorded; // files of runs that really ran; none: simulated from the real schedules
};

std::vector<Sample> samples(); // only schemes that this build has

// Where the recorded samples lie: installed beside the program, or in the source tree around the
// build; "" when they are in neither. `programFolder`: of the executable.
QString recordedSampleFolder(const QString& programFolder);

// The files of a sample, recorded, or simulated and written to the cache folder.
engine::Result<QStringList> sampleFiles(const Sample& sample);

} // namespace app
