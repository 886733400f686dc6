#pragma once

#include "engine/base/result.h"
#include "engine/exec/run_experiment.h"

#include <string>

namespace cli {

// $XDG_DATA_HOME/bubblescope/runs/<time>-<scheme>-D<D>-N<N>.sqlite; a name that does not exist
// yet.
std::string defaultRunFile(const engine::Experiment& experiment);

// Reads the whole run; a warning of the reader goes to standard error as a note.
engine::Result<engine::Run> openRun(const std::string& file);

engine::Result<void> makeFolderOf(const std::string& file);

} // namespace cli
