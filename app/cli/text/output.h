#pragma once

#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/exec/run_experiment.h"
#include "engine/timeline/gpu_trace.h"
#include "profiler/report/sheet.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cli {

using engine::printError;
using engine::printText;
using profiler::jsonText;
bool errorIsTerminal();  // whether standard error is a terminal
bool outputHasColours(); // whether standard output is a terminal and NO_COLOR is not set
// The width in COLUMNS or of the terminal; nullopt if there is neither.
std::optional<std::size_t> outputColumns();
std::string terminalText(const profiler::Sheet& sheet); // at most as wide as the terminal
void print(const profiler::Sheet& sheet, bool json);

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
// The inputs, with the .sqlite files of a folder in its place.
engine::Result<std::vector<std::string>> recordedFiles(const std::vector<std::string>& inputs);

// Describes what is missing in a trace with `kernels` kernels: "3 of 7012 kernels belong to no op,
// 12 records were lost"; "" if the trace is complete.
std::string missingText(std::size_t kernels, const engine::GpuTraceHealth& health);

} // namespace cli
