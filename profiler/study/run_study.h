#pragma once

#include "profiler/study/study.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>

namespace profiler {

// Returns the metrics of a point. Called from several threads concurrently. An error with
// Error::Code::InvalidArgument marks the point as not possible; any other error ends the study.
using EvaluatePoint = std::function<engine::Result<StudyValues>(const StudyPoint& point)>;

struct StudyProgress
{
    std::size_t done = 0, all = 0;        // numbers of points
    std::chrono::duration<double> left{}; // estimated time left
};

struct RunStudyOptions
{
    int threads = 1; // number of points evaluated concurrently
    // Called on the calling thread, about twice a second.
    std::function<void(const StudyProgress&)> onProgress;
    const std::atomic<bool>* cancelled = nullptr;
};

// Evaluates the points that are missing in `folder`/results.sqlite, stores each as soon as it is
// ready, and then writes results.csv and report.html. After a cancellation, the next call continues
// the study. Fails with Error::Code::InvalidArgument if no point is possible.
engine::Result<StudyData> runStudy(const Study& study, const std::string& toml,
                                   const std::filesystem::path& folder,
                                   const EvaluatePoint& evaluate, const RunStudyOptions& options);

// Returns a study with its results in `folder`, even while another process adds results. If the
// folder has no results, no point is done.
engine::Result<StudyData> storedResults(const Study& study, const std::filesystem::path& folder);

} // namespace profiler
