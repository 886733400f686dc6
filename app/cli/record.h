#pragma once

#include "app/cli/progress.h"
#include "engine/base/result.h"
#include "engine/exec/run_experiment.h"

#include <string>

namespace CLI {
class App;
}

namespace cli {

// Where a run goes and how it is told of.
struct RecordOptions
{
    std::string file; // "": defaultRunFile()
    bool force = false, detach = false;
    ProgressKind progress = ProgressKind::Auto;
};
void addRecordOptions(CLI::App& app, RecordOptions& options);

// Trains, records into one file and prints the five closing lines. Ctrl-C keeps
// whole iterations: then the error is Cancelled and the file complete.
engine::Result<int> record(const engine::Experiment& experiment, const RecordOptions& options);

// $XDG_DATA_HOME/bubblescope/runs/<time>-<scheme>-D<D>-N<N>.sqlite, one that does not exist yet.
std::string defaultRunFile(const engine::Experiment& experiment);

} // namespace cli
