#include "profiler/study/run_study.h"

#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "profiler/study/results_file.h"
#include "profiler/study/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace profiler {

using namespace engine;
namespace fs = std::filesystem;

namespace {

constexpr const char* kResults = "results.sqlite";

using Finished = std::vector<std::pair<std::size_t, StudyResult>>;

// Evaluates points on several threads.
class PointQueue
{
public:
    PointQueue(const std::vector<StudyPoint>& points, std::vector<std::size_t> open,
               const EvaluatePoint& evaluate, int threads)
        : m_points(points)
        , m_open(std::move(open))
        , m_evaluate(evaluate)
    {
        for (int i = 0; i < threads; ++i)
            m_threads.emplace_back([this] { work(); });
    }
    ~PointQueue()
    {
        stop();
        for (std::thread& thread : m_threads)
            thread.join();
    }
    PointQueue(const PointQueue&) = delete;
    PointQueue& operator=(const PointQueue&) = delete;

    void stop() { m_next = m_open.size(); }
    // Waits half a second, or until all points are finished. Returns the points that were finished
    // since the last call.
    Finished take()
    {
        std::unique_lock lock(m_mutex);
        m_ready.wait_for(lock, std::chrono::milliseconds(500), [this] { return m_left == 0; });
        return std::exchange(m_finished, {});
    }
    std::optional<Error> error()
    {
        const std::scoped_lock lock(m_mutex);
        return m_error;
    }

private:
    void work()
    {
        for (std::size_t next = m_next++; next < m_open.size(); next = m_next++) {
            const std::size_t index = m_open[next];
            auto values = m_evaluate(m_points[index]);
            const std::scoped_lock lock(m_mutex);
            if (!values && values.error().code != Error::Code::InvalidArgument) {
                m_error = values.error();
                stop();
                return;
            }
            m_finished.emplace_back(index,
                                    StudyResult{values ? *values : StudyValues(),
                                                values ? "" : values.error().message, true});
            if (--m_left == 0)
                m_ready.notify_one();
        }
    }

    const std::vector<StudyPoint>& m_points;
    std::vector<std::size_t> m_open; // indices in m_points
    const EvaluatePoint& m_evaluate;
    std::atomic<std::size_t> m_next = 0; // index in m_open
    std::mutex m_mutex;                  // protects the members below
    std::condition_variable m_ready;
    Finished m_finished;
    std::size_t m_left = m_open.size();
    std::optional<Error> m_error;
    std::vector<std::thread> m_threads; // last member, because the threads use the others
};

Result<void> evaluateAll(StudyFile& file, StudyData& data, const EvaluatePoint& evaluate,
                         const RunStudyOptions& options)
{
    auto& [study, points, results] = data;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!results[i].isDone)
            open.push_back(i);
    if (open.empty())
        return {};
    const auto begin = std::chrono::steady_clock::now();
    PointQueue queue(points, open, evaluate, options.threads);
    for (std::size_t done = 0; done < open.size();) {
        const Finished finished = queue.take();
        for (const auto& [index, result] : finished)
            results[index] = result;
        done += finished.size();
        TRY(file.write(points, finished));
        if (const auto error = queue.error())
            return tl::unexpected(*error);
        if (options.cancelled != nullptr && *options.cancelled)
            return fail(Error::Code::Cancelled,
                        "the study was cancelled; the same command continues it");
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        const double perPoint = done == 0 ? 0 : passed.count() / static_cast<double>(done);
        if (options.onProgress)
            options.onProgress({points.size() - open.size() + done, points.size(),
                                std::chrono::duration<double>(
                                    perPoint * static_cast<double>(open.size() - done))});
    }
    return {};
}

} // namespace

Result<StudyData> runStudy(const Study& study, const std::string& toml, const fs::path& folder,
                           const EvaluatePoint& evaluate, const RunStudyOptions& options)
{
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (fs::exists(folder) && !fs::is_directory(folder))
        return fail(Error::Code::Io,
                    folder.string() + " is a file: choose another name for the folder of results");
    if (failed)
        return fail(Error::Code::Io,
                    fmt::format("{} cannot be created: {}; choose another folder", folder.string(),
                                failed.message()));
    auto file = TRY(StudyFile::open(folder / kResults, study));
    auto data = TRY(file.read());
    TRY(evaluateAll(file, data, evaluate, options));
    if (data.refused() == data.points.size())
        return fail(Error::Code::InvalidArgument,
                    "no point of the study is possible: " + data.results.front().error);
    TRY(file.finish(toml, data));
    const auto report = TRY(studyReport(data));
    TRY(saveFile(folder / "results.csv", studyCsv(data), IfExists::Replace));
    TRY(saveFile(folder / "report.html", report, IfExists::Replace));
    return data;
}

Result<StudyData> storedResults(const Study& study, const fs::path& folder)
{
    std::error_code ignored;
    if (!fs::exists(folder / kResults, ignored))
        return StudyData(study);
    return StudyFile::open(folder / kResults, study).and_then([](StudyFile file) {
        return file.read();
    });
}

} // namespace profiler
