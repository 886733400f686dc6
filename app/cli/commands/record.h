#pragma once

#include "app/cli/commands/progress.h"
#include "app/cli/options/output_options.h"
#include "engine/base/result.h"
#include "engine/exec/run_experiment.h"

#include <string>

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

// Trains, records into one file and prints the summary. After Ctrl-C it fails with
// Error::Code::Cancelled; the file is then valid and has the complete iterations.
engine::Result<int> record(const engine::Experiment& experiment, const RecordOptions& options);

} // namespace cli
