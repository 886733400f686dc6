#pragma once

#include "engine/base/result.h"

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace cli {

// Executes a parsed command and returns the exit status: 0 for success, 1 if a check found a fault,
// which the command has printed. The caller prints an error as one line.
using Action = std::function<engine::Result<int>()>;

// A command of `bscope`. Each has its own file, an entry in commands.cpp and lines in
// resources/help/examples.txt, which a test executes.
struct Command
{
    std::string_view name, summary;
    // Adds the command's options to `app`, which outlives the action.
    Action (*prepare)(CLI::App& app) = nullptr;
};

std::span<const Command> commands();

// argv[0] of the process that a study starts for a point. It exits with kIoStatus instead of 1 on
// Error::Code::Io, so that the study does not store a full disk as "not possible".
constexpr std::string_view kPointProcess = "bscope-point";
constexpr int kIoStatus = 74; // EX_IOERR of sysexits.h

Action prepareSchemes(CLI::App& app);
Action prepareModels(CLI::App& app);
Action prepareSchedule(CLI::App& app);
Action prepareValidate(CLI::App& app);
Action prepareSimulate(CLI::App& app);
Action prepareSearch(CLI::App& app);
Action prepareLayout(CLI::App& app);
Action prepareRun(CLI::App& app);
Action prepareExperiment(CLI::App& app);
Action prepareAnalyze(CLI::App& app);
Action prepareCompare(CLI::App& app);
Action prepareHistory(CLI::App& app);
Action prepareExport(CLI::App& app);
Action prepareImport(CLI::App& app);
Action prepareWhatIf(CLI::App& app);
Action prepareKit(CLI::App& app);
Action prepareEstimate(CLI::App& app);
Action prepareStudy(CLI::App& app);
Action prepareReproduce(CLI::App& app);
Action prepareDevices(CLI::App& app);
Action prepareVerify(CLI::App& app);
Action prepareHelp(CLI::App& app);
Action prepareCompletion(CLI::App& app);

} // namespace cli
