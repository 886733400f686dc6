#pragma once

#include "engine/base/new_file.h"
#include "engine/exec/run_experiment.h"

#include <string>

namespace cli {

// Creates and reserves a new file $XDG_DATA_HOME/bubblescope/runs/<time>-<what>.sqlite, with its
// folder. If the name is taken, appends "-2" and so on.
engine::Result<engine::NewFile> createRunFile(const std::string& what);
// The <what> of an experiment: "<scheme>-D<D>-N<N>".
std::string runFileStem(const engine::Experiment& experiment);

// The command that opens a file in the window, quoted for a shell: "bubblescope FILE". It has the
// full path of the program if PATH does not find it. "" if the program is not installed.
std::string openCommand(const std::string& file);

// Reads a whole run. Prints a warning of the reader to standard error as a note.
engine::Result<engine::Run> openRun(const std::string& file);

} // namespace cli
