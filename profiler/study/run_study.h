#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"
#include "profiler/store/sqlite.h"
#include "profiler/study/study.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <utility>

namespace profiler {

// Returns the metrics of a point, computed from its run. `metrics` are those of the reported
// iteration. The times of each kind of op are medians over the measured iterations (a simulated run
// has one). `targetLoss` is that of the study.
StudyValues valuesOf(const engine::Run& run, const RunMetrics& metrics,
                     std::optional<double> targetLoss = {});

// The file results.sqlite of a study. Its table `results` has one row per point (axes, metrics,
// ratios). Its table `study` has the TOML of the study and its pointsToml(). Rows are written while
// the study runs, so that an interrupted study can continue. Not thread-safe.
class StudyFile
{
public:
    // Opens or creates the file. Fails with Error::Code::InvalidArgument if the file has the
    // results of a study with other points. Differences in texts, ratios, charts and answers are
    // allowed.
    static engine::Result<StudyFile> open(const std::filesystem::path& file, const Study& study);

    // Returns the study with the results of an earlier run, if any.
    engine::Result<StudyData> read();
    // Writes the results of the points with these indices in one transaction.
    engine::Result<void> write(const std::vector<StudyPoint>& points,
                               const std::vector<std::pair<std::size_t, StudyResult>>& results);
    // Writes the current TOML of the study, and the values of its ratios.
    engine::Result<void> finish(const std::string& toml, const StudyData& data);

private:
    StudyFile(Database database, const Study& study)
        : m_database(std::move(database))
        , m_study(&study)
    { }
    engine::Result<void> create();
    engine::Result<void> replaceRatios();

    Database m_database;
    const Study* m_study;
};

// The table `results` as CSV; unknown values are empty.
std::string studyCsv(const StudyData& data);

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
    // Called after a cancellation while points may still be evaluated. It may end the process,
    // because a point can take minutes; finished points are stored.
    std::function<void(const engine::Error&)> onCancelled = {};
};

// Evaluates the points that are missing in `folder`/results.sqlite, stores each as soon as it is
// ready, and then writes results.csv and report.html. After a cancellation, the next call continues
// the study. Fails with Error::Code::InvalidArgument if no point is possible.
engine::Result<StudyData> runStudy(const Study& study, const std::string& toml,
                                   const std::filesystem::path& folder,
                                   const EvaluatePoint& evaluate, const RunStudyOptions& options);

constexpr const char* kStudyResults = "results.sqlite"; // in the folder of a study

// Returns the study whose results are in `folder`. Fails if it is not finished.
engine::Result<StudyData> openStudy(const std::filesystem::path& folder);
// Returns a study with its results in `folder`, even while another process adds results. If the
// folder has no results, no point is done.
engine::Result<StudyData> storedResults(const Study& study, const std::filesystem::path& folder);

// Returns the report as one HTML page, which can be opened offline: the answers, the question,
// charts, set-up, results and limits. Fails as drawChart() does.
engine::Result<std::string> studyReport(const StudyData& data);

} // namespace profiler
