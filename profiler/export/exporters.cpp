#include "profiler/export/exporters.h"

#include <algorithm>
#include <array>

namespace profiler {
namespace {

template<auto Write>
engine::Result<void> withoutGpu(const engine::Run& run, const GpuPieces& /*gpu*/,
                                const engine::TextSink& sink)
{
    Write(run, sink);
    return {};
}

constexpr std::array<Exporter, 3> kExporters{{
    {"csv", "Table of spans (CSV)", ".csv", withoutGpu<exportCsv>},
    {"chrome", "Chrome trace (Perfetto, chrome://tracing)", ".json", exportChrome},
    {"json", "The whole run (JSON)", ".json", withoutGpu<exportJson>},
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
