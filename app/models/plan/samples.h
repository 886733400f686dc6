#pragma once

#include "app/models/plan/prediction.h"

#include <QStringList>

#include <string_view>
#include <vector>

namespace app {

// A sample run that ships with the program or is simulated. Two schemes make a comparison.
struct Sample
{
    std::string_view title, line;
    std::vector<engine::ScheduleRequest> runs;
    QStringList recorded; // files of recorded runs; empty: simulated
};

std::vector<Sample> samples(); // returns only samples whose schemes this build has

// The folder of the recorded samples, installed next to the program or in the source tree of the
// build; "" if neither exists. `programFolder` is the folder of the executable.
QString recordedSampleFolder(const QString& programFolder);

// Returns the files of a sample. Simulated samples are written to the cache folder.
engine::Result<QStringList> sampleFiles(const Sample& sample);

} // namespace app
