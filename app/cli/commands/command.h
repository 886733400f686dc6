#pragma once

#include "engine/base/result.h"

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace cli {

// What a command does once its options are parsed: the exit status (0, or 1 where the work found a
// fault and said so), or an error, which is printed as one line.
using Action = std::function<engine::Result<int>()>;

// One command of `bscope`. Each lives in its own file and is listed once, in commands.cpp.
struct Command
{
    std::string_view name, summary;
    std::string_view examples; // lines under "Examples:" in --help; a test runs each of them
    // Adds the command's options to `app`; the action may refer to `app`, which outlives it.
    Action (*prepare)(CLI::App& app) = nullptr;
};

std::span<const Command> commands();

Action prepareSchemes(CLI::App& app);
Action prepareSchedule(CLI::App& app);
Action prepareValidate(CLI::App& app);
Action prepareSimulate(CLI::App& app);
Action prepareRun(CLI::App& app);
Action prepareExperiment(CLI::App& app);
Action prepareAnalyze(CLI::App& app);
Action prepareCompare(CLI::App& app);
Action prepareExport(CLI::App& app);
Action prepareEstimate(CLI::App& app);
Action prepareDevices(CLI::App& app);
Action prepareVerify(CLI::App& app);

} // namespace cli
