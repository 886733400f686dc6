#pragma once

#include "app/cli/commands/progress.h"
#include "app/cli/options/output_options.h"
#include "engine/base/result.h"
#include "engine/exec/run_experiment.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

// The options of a recorded run: its file, and the kind of progress reports.
struct RecordOptions
{
    OutputOptions output; // without -o, createRunFile() chooses the file
    bool detach = false;
    ProgressKind progress = ProgressKind::Auto;
};
void addRecordOptions(CLI::App& app, RecordOptions& options);

// The options with which several schemes take turns on the machine.
struct TurnOptions
{
    std::vector<std::string> schemes; // empty: the experiment's
    int rounds = 0;                   // 0: the default
};
void addTurnOptions(CLI::App& app, TurnOptions& options, std::string_view defaultScheme);
// One experiment per scheme, as runs of one session if there are several.
engine::Result<std::vector<engine::Experiment>> experimentsOf(const engine::Experiment& experiment,
                                                              const TurnOptions& options);

// Trains, records each experiment into its own file and prints the summaries. With several
// experiments, -o names their folder. After Ctrl-C it fails with
// Error::Code::Cancelled; the file is then valid and has the complete iterations.
engine::Result<int> record(const std::vector<engine::Experiment>& experiments,
                           const RecordOptions& options);

} // namespace cli
