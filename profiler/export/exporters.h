#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <span>
#include <string>
#include <string_view>

namespace profiler {

// One format that a run can be exported to (FORMATS.md). A new one is one file and one line of the
// table in exporters.cpp; the command line and the window list what stands there.
struct Exporter
{
    std::string_view name;      // --format
    std::string_view title;     // "Chrome trace (Perfetto, chrome://tracing)": for people
    std::string_view extension; // ".json"
    engine::Result<std::string> (*write)(const engine::Run& run) = nullptr;
};

std::span<const Exporter> exporters();
const Exporter* findExporter(std::string_view name); // nullptr: there is none

} // namespace profiler
