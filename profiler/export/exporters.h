#pragma once

#include "engine/base/new_file.h"
#include "engine/timeline/run.h"

#include <span>
#include <string>
#include <string_view>

namespace profiler {

// An export format (FORMATS.md). A new format is one file and one line in exporters.cpp, whose list
// the command line and the window show.
struct Exporter
{
    std::string_view name;      // value of --format
    std::string_view title;     // "Chrome trace (Perfetto, chrome://tracing)", for display
    std::string_view extension; // ".json"
    void (*write)(const engine::Run& run, const engine::TextSink& sink) = nullptr;
};

std::span<const Exporter> exporters();
const Exporter* findExporter(std::string_view name); // nullptr if unknown

} // namespace profiler
