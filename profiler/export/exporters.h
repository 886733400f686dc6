#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <span>
#include <string>
#include <string_view>

namespace profiler {

// An export format (FORMATS.md). A new format is one file and one entry in exporters.cpp, which the
// command line and the window list.
struct Exporter
{
    std::string_view name;      // value of --format
    std::string_view title;     // "Chrome trace (Perfetto, chrome://tracing)", for display
    std::string_view extension; // ".json"
    engine::Result<std::string> (*write)(const engine::Run& run) = nullptr;
};

std::span<const Exporter> exporters();
const Exporter* findExporter(std::string_view name); // nullptr if unknown

} // namespace profiler
