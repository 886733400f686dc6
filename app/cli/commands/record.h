#pragma once

#include "app/cli/commands/progress.h"
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
    std::string file; // "": defaultRunFile() of run_file.h
    bool force = false, detach = false;
    ProgressKind progress = ProgressKind::Auto;
};
void addRecordOptions(CLI::App& app, RecordOptions& options);

// Trains, records into one file and prints the five closing lines. Ctrl-C keeps
// whole iterations: then the error is Cancelled and the file complete.
engine::Result<int> record(const engine::Experiment& experiment, const RecordOptions& options);

} // namespace cli
