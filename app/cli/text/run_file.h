#pragma once

#include "engine/base/new_file.h"
#include "engine/exec/run_experiment.h"

#include <string>

namespace cli {

// Reserves a new file $XDG_DATA_HOME/bubblescope/runs/<time>-<scheme>-D<D>-N<N>.sqlite and creates
// the folder. If the name is taken, "-2" and so on is appended.
engine::Result<engine::NewFile> createRunFile(const engine::Experiment& experiment);

// Reads a whole run. A warning of the reader is printed to standard error as a note.
engine::Result<engine::Run> openRun(const std::string& file);

} // namespace cli
