#include "profiler/export/exporters.h"

#include "engine/base/units.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace profiler {

std::string ticksText(std::int64_t ticks, std::int64_t ticksPerUnit)
{
    if (ticks % ticksPerUnit == 0)
        return fmt::format("{}", ticks / ticksPerUnit);
    std::string text = fmt::format("{:.9f}", engine::ratio(ticks, ticksPerUnit));
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

std::string jsonText(std::string_view text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

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
