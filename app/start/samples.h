#pragma once

#include "app/plan/prediction.h"

#include <QStringList>

#include <string_view>
#include <vector>

namespace app {

// A sample of the start page: one run, or two runs to compare. Recorded runs ship with the program.
// If their files are missing, the runs are simulated.
struct Sample
{
    std::string_view title, line;
    std::vector<engine::ScheduleRequest> runs;
    QStringList recorded; // files of the recorded runs; empty: the runs are simulated
};

std::vector<Sample> samples(); // returns only samples whose schemes this build has

// Returns the folder of the recorded samples, which is installed next to the program or is in the
// source tree of the build; "" if neither exists. `programFolder` is the folder of the executable.
QString recordedSampleFolder(const QString& programFolder);

// Returns the files of a sample. Simulated samples are written to the cache folder.
engine::Result<QStringList> sampleFiles(const Sample& sample);

} // namespace app
