#pragma once

#include "app/models/plan/prediction.h"

#include <QStringList>

#include <string_view>
#include <vector>

namespace app {

// A run to open on a machine without recorded runs. Two schemes make a comparison.
struct Sample
{
    std::string_view title, line;
    std::vector<engine::ScheduleRequest> runs;
    QStringList recorded; // files of recorded runs; empty: simulated from the schedules
};

std::vector<Sample> samples(); // only of schemes in this build

// The folder of the recorded samples: installed beside the program, or in the source tree around
// the build; "" if neither exists. `programFolder`: of the executable.
QString recordedSampleFolder(const QString& programFolder);

// The files of a sample: recorded ones, or simulated ones written to the cache folder.
engine::Result<QStringList> sampleFiles(const Sample& sample);

} // namespace app
