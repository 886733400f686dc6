#pragma once

#include "engine/base/new_file.h"
#include "engine/exec/run_experiment.h"

#include <string>

namespace cli {

// Reserves a new file $XDG_DATA_HOME/bubblescope/runs/<time>-<scheme>-D<D>-N<N>.sqlite; "-2" and so
// on are appended if the name is taken. Creates the folder.
engine::Result<engine::NewFile> createRunFile(const engine::Experiment& experiment);

// Reads the whole run; a warning of the reader goes to standard error as a note.
engine::Result<engine::Run> openRun(const std::string& file);

} // namespace cli
