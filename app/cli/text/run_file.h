#pragma once

#include "engine/base/new_file.h"
#include "engine/exec/run_experiment.h"

#include <string>

namespace cli {

// Creates and reserves a new file $XDG_DATA_HOME/bubblescope/runs/<time>-<what>.sqlite and, if
// needed, its folder. If the name is taken, appends "-2" and so on.
engine::Result<engine::NewFile> createRunFile(const std::string& what);
// Returns the <what> of createRunFile() for an experiment: "<scheme>-D<D>-N<N>".
std::string runFileStem(const engine::Experiment& experiment);

// Returns the command that opens a file in the window, quoted for a shell: "bubblescope FILE". If
// PATH does not contain the program, the command has its full path. Returns "" if the program is
// not installed.
std::string openCommand(const std::string& file);

// Reads a whole run. If the reader has a warning, prints it as a note to standard error.
engine::Result<engine::Run> openRun(const std::string& file);

} // namespace cli
