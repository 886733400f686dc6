#pragma once

#include "engine/exec/run_experiment.h"

#include <cstdint>
#include <memory>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace cli {

// Reports the progress of a run or a study on standard error. PROGRESS.md describes the JSON lines.
// All functions are called on the thread that executes the run or study.
class Progress
{
public:
    Progress() = default;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    virtual ~Progress() = default;

    virtual void started(const std::string&, const engine::RunInfo&) { }
    virtual void ops(const engine::OpsDone&) { }
    virtual void rows(std::int64_t) { }
    // The arguments are the evaluated points of a study, all points, and the estimated seconds
    // left.
    virtual void points(std::size_t, std::size_t, double) { }
    virtual void iteration(std::size_t, const engine::Iteration&) { }
    virtual void warning(const std::string&) { }
    virtual void locked(const std::string& file) { warning(lockedSentence(file)); }
    virtual void finishing() { }
    virtual void finished(const std::string&, engine::Outcome) { }
    virtual void failed(const std::string&) { }

protected:
    static std::string lockedSentence(const std::string& file);
};

// Auto: a bar if standard error is a terminal, otherwise only warnings.
enum class ProgressKind { Auto, Bar, JsonLines, None };
CLI::Option* addProgressOption(CLI::App& app, ProgressKind& kind);
std::unique_ptr<Progress> makeProgress(ProgressKind kind);

} // namespace cli
