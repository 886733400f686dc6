#pragma once

#include "profiler/study/study.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>

namespace profiler {

// The metrics of a point from its arguments. Called from several threads at once.
// Error::Code::InvalidArgument says why the point is not possible; other errors end the study.
using EvaluatePoint
    = std::function<engine::Result<StudyValues>(const std::vector<std::string>& arguments)>;

struct StudyProgress
{
    std::size_t done = 0, all = 0;        // points
    std::chrono::duration<double> left{}; // estimate
};

struct RunStudyOptions
{
    int threads = 1;                                      // points that are evaluated at once
    std::function<void(const StudyProgress&)> onProgress; // on the calling thread, about twice a s
    const std::atomic<bool>* cancelled = nullptr;
};

// Evaluates the points that `folder`/results.sqlite lacks, and stores them there as they are ready.
// Then writes results.csv and report.html. A study that is cancelled continues with the next call.
// Fails with Error::Code::InvalidArgument if no point is possible.
engine::Result<std::vector<StudyResult>> runStudy(const Study& study, const std::string& toml,
                                                  const std::filesystem::path& folder,
                                                  const EvaluatePoint& evaluate,
                                                  const RunStudyOptions& options);

} // namespace profiler
