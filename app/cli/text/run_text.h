#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/note.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/report/sheet.h"

#include <string>

namespace cli {

constexpr std::size_t kPipedColumns = 160; // of a drawing that goes to a file

enum class Ink { Plain, Colours };

// Draws a simulated iteration as text. It has a row for each device, a cell of two characters for
// each step of time, and a legend:
//
//   device 0 | F0F1F2F3......B0B0..B1B1..B2B2..B3B3   F0: forward of micro-batch 0, ..: idle
//
// Returns "" if the text would be wider than `columns`, if there are more than 36 micro-batches, or
// if the run was measured.
std::string timelineText(const engine::Run& run, int iteration, std::size_t columns,
                         Ink ink = Ink::Plain);

// Adds sentences on the GPU activity of a run and the clock speeds of its GPUs. Returns them as
// JSON; unknown if the run used no GPU.
profiler::Reading addGpu(const engine::Run& run, const engine::GpuTrace& trace,
                         profiler::Sheet& sheet);

// Adds a table of the GPU activity and gaps of each kind of op, and a table of the kernels with
// their counts, times and shares of the ops' time.
void addKernels(const profiler::GpuActivity& activity, const profiler::KernelTable& table,
                profiler::Sheet& sheet);

// Adds the notes of a run as the window lists them: subject, time, duration, text. Shown times are
// relative to the note's iteration.
void addNotes(const engine::Run& run, std::span<const engine::Note> notes, profiler::Sheet& sheet);

} // namespace cli
