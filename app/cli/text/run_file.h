#pragma once

#include "engine/base/new_file.h"
#include "engine/exec/run_experiment.h"

#include <string>

namespace cli {

// Reserves a new file $XDG_DATA_HOME/bubblescope/runs/<time>-<what>.sqlite and creates the folder.
// If the name is taken, "-2" and so on is appended.
engine::Result<engine::NewFile> createRunFile(const std::string& what);
// `what` of an experiment: "<scheme>-D<D>-N<N>".
std::string runFileStem(const engine::Experiment& experiment);

// The command that opens a file in the window, quoted for a shell: "bubblescope FILE", with the
// full path of the program if it is not the one on the PATH. "" if there is no such program.
std::string openCommand(const std::string& file);

// Reads a whole run. A warning of the reader is printed to standard error as a note.
engine::Result<engine::Run> openRun(const std::string& file);

} // namespace cli
