#pragma once

#include "engine/exec/run_experiment.h"
#include "profiler/analysis/measure.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace CLI {
class App;
class Option;
} // namespace CLI

// What commands share that run for long: a line on the terminal, a clean stop when they are
// interrupted, and reports of progress for the window and for scripts.
namespace cli {

// Shows the current step of a command on a terminal, with the time left if it is known. The line
// appears when the command has run for two seconds. The destructor removes it.
class LongTask
{
public:
    explicit LongTask(std::string what);

    // Shows `what` as the current step, and `secondsLeft` as the estimated time left; 0: unknown.
    void next(std::string what, double secondsLeft);
    double seconds() const; // seconds since construction

private:
    void show(const std::stop_token& stop);
    std::string line() const;

    std::mutex m_mutex; // protects m_what and m_expectedEnd
    std::condition_variable_any m_ended;
    std::string m_what;
    double m_expectedEnd = 0; // in seconds since construction; 0: not known
    double m_begin;
    std::jthread m_thread; // last, because it uses the others
};

// During its lifetime, SIGINT, SIGTERM and SIGHUP request a clean stop, and a second one ends the
// program at once; SIGPIPE becomes a write error. Signals that are ignored, as under nohup, stay
// ignored. At most one instance may exist.
class Interrupt
{
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // Requests a stop when the parent process exits, even if this process is suspended at that
    // time.
    void stopWithParent();
    const std::atomic<bool>& requested() const;
};

// Auto: a bar if standard error is a terminal, otherwise only warnings.
enum class ProgressKind { Auto, Bar, JsonLines, None };
CLI::Option* addProgressOption(CLI::App& app, ProgressKind& kind);

// Reports the progress of a run or a study on standard error: as a bar, as the JSON lines of
// progress.md, or only its warnings. All functions are called on the thread that executes the run
// or study.
class Progress
{
public:
    // `run`: the number of a run among those of the process, for the JSON lines; nullopt: the only
    // one.
    explicit Progress(ProgressKind kind, std::optional<std::size_t> run = {});
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void started(const std::string& file, const engine::RunInfo& info);
    void ops(const engine::OpsDone& at);
    void rows(std::int64_t last) { report("rows", {{"last", last}}); }
    // The evaluated points of a study, all points, and the estimated seconds left.
    void points(std::size_t done, std::size_t all, double left);
    void iteration(std::size_t index, const engine::Iteration& iteration);
    void warning(const std::string& message);
    void locked(const std::string& file);
    void finishing();
    void finished(const std::string& file, engine::Outcome outcome);
    void failed(const std::string& message);

private:
    bool isBar() const { return m_kind == ProgressKind::Bar; }
    void report(const char* event, profiler::Reading::Fields fields);
    void draw(double shareOfCurrent);
    void draw(const std::string& line);
    void clear();

    ProgressKind m_kind;
    const std::optional<std::size_t> m_run;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now(),
                                          m_nextOps = m_begin;
    std::size_t m_planned = 0, m_done = 0; // iterations
    std::string m_loss;
    bool m_isShown = false;
};

} // namespace cli
