#include "profiler/export/exporters.h"

#include "profiler/export/chrome.h"
#include "profiler/export/csv.h"
#include "profiler/export/json.h"

#include <algorithm>
#include <array>

namespace profiler {
namespace {

constexpr std::array<Exporter, 3> kExporters{{
    {"csv", "Table of spans (CSV)", ".csv", exportCsv},
    {"chrome", "Chrome trace (Perfetto, chrome://tracing)", ".json", exportChrome},
    {"json", "The whole run (JSON)", ".json", exportJson},
}};

} // namespace

std::span<const Exporter> exporters()
{
    return kExporters;
}

const Exporter* findExporter(std::string_view name)
{
    const auto* found = std::ranges::find(kExporters, name, &Exporter::name);
    return found == kExporters.end() ? nullptr : found;
}

} // namespace profiler
