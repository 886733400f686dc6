#pragma once

#include "engine/base/new_file.h"
#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace profiler {

// Reads the GPU records of a run and passes them to its argument piece by piece, so that only one
// piece is in memory. Empty if the run has no GPU records.
using GpuPieces
    = std::function<engine::Result<void>(const std::function<void(const engine::GpuTrace&)>&)>;

// An export format (FORMATS.md). A new format is one file and one line in exporters.cpp. The
// command line and the window show the list in exporters.cpp.
struct Exporter
{
    std::string_view name;      // value of --format
    std::string_view title;     // "Chrome trace (Perfetto, chrome://tracing)", for display
    std::string_view extension; // ".json"
    // Fails only if reading the GPU records fails; the text is then incomplete.
    engine::Result<void> (*write)(const engine::Run& run, const GpuPieces& gpu,
                                  const engine::TextSink& sink)
        = nullptr;
};

std::span<const Exporter> exporters();
const Exporter* findExporter(std::string_view name); // nullptr if unknown

} // namespace profiler
