#include "profiler/store/read_info.h"

#include "profiler/store/gpu/gpu_metrics.h"
#include "profiler/store/gpu/machine_tables.h"
#include "profiler/store/import_tables.h"
#include "profiler/store/metrics.h"
#include "profiler/store/run_tables.h"

namespace profiler {
namespace {

using engine::Result;
using engine::RunInfo;

Result<void> readExperiment(Database& database, RunInfo& info)
{
    ExperimentRow row;
    auto read = readOnlyRow(database, row);
    info.experiment = std::move(row.toml);
    info.command = std::move(row.command);
    return read;
}

Result<void> readMetrics(Database& database, RunInfo& info)
{
    return forEachMetric(database, [&](std::string_view name, const Statement& row) {
        bool isKnown = false, fits = true;
        runMetrics(info, [&](const MetricText& metric, auto& value) {
            if (metric.name != name)
                return;
            isKnown = true;
            fits = row.get(1, value);
        });
        if (!isKnown)
            fits = takeGpuMetric(name, row.integer(1), info);
        return fits;
    });
}

Result<void> readArenas(Database& database, RunInfo& info)
{
    return forEachRow<DeviceRow>(database, "ORDER BY device", [&](const auto& row) {
        if (row.arena)
            info.arenas.push_back({row.live.value_or(0), *row.arena, row.touched});
        return true;
    });
}

std::size_t sizeOfText(const std::string& text)
{
    return text.size();
}
std::size_t sizeOfText(const auto& /*other*/)
{
    return 0;
}

// Limits texts, because they are shown in labels and tooltips.
Result<void> checkTexts(const Database& database, RunInfo& info)
{
    constexpr std::size_t kMost = 4096; // bytes
    bool fits = true;
    columns(info, [&](const ColumnText&, auto&&... fields) {
        ((fits = fits && sizeOfText(fields) <= kMost), ...);
    });
    return fits ? Result<void>()
                : tl::unexpected(database.damaged("BS_run has a string of more than 4 KiB"));
}

} // namespace

Result<RunInfo> readInfo(Database& database)
{
    RunInfo info;
    return readOnlyRow(database, info)
        .and_then([&]() -> Result<void> {
            constexpr std::int64_t kMostTicksPerUnit = std::int64_t{1} << 40;
            if (info.ticksPerUnit < 1 || info.ticksPerUnit > kMostTicksPerUnit)
                return tl::unexpected(database.damaged("BS_run has an impossible unit"));
            return checkTexts(database, info);
        })
        .and_then([&] { return readExperiment(database, info); })
        .and_then([&] { return readMetrics(database, info); })
        .and_then([&] { return readArenas(database, info); })
        .and_then([&] { return readImport(database); })
        .and_then([&](std::optional<engine::ImportReport>&& report) {
            info.import = std::move(report);
            return readHost(database);
        })
        .and_then([&](const std::string& host) {
            info.hostName = host;
            return readMachine(database);
        })
        .map([&](engine::GpuMachine&& machine) {
            info.machine.gpus = std::move(machine.gpus);
            info.machine.settings = std::move(machine.settings);
            info.machine.peers = std::move(machine.peers);
            return info;
        });
}

Result<bool> usedWal(Database& database)
{
    return database.text("SELECT journal FROM BS_run").map([](const std::string& journal) {
        return journal != "delete";
    });
}

} // namespace profiler
