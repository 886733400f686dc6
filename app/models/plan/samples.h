#pragma once

#include "app/models/plan/prediction.h"

#include <QStringList>

#include <string_view>
#include <vector>

namespace app {

// A run that can be opened without having recorded one. Two schemes make a comparison.
struct Sample
{
    std::string_view title, line;
    std::vector<engine::ScheduleRequest> runs;
    QStringList recorded; // files of recorded runs; empty: simulated
};

std::vector<Sample> samples(); // only those with schemes of this build

// The folder of the recorded samples: installed next to the program, or in the source tree of the
// build; "" if neither exists. `programFolder` is that of the executable.
QString recordedSampleFolder(const QString& programFolder);

// The files of a sample: recorded ones, or simulated ones written to the cache folder.
engine::Result<QStringList> sampleFiles(const Sample& sample);

} // namespace app
