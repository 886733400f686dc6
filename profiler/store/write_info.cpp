#include "profiler/store/write_info.h"

#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "profiler/store/gpu/gpu_metrics.h"
#include "profiler/store/gpu/nsight.h"
#include "profiler/store/import_tables.h"
#include "profiler/store/metrics.h"
#include "profiler/store/run_tables.h"

#include <set>

namespace profiler {
namespace {

using engine::Op;
using engine::OpFlag;
using engine::Result;

template<class... Values>
Result<void> runOnce(Database& database, std::string_view sql, const Values&... values)
{
    auto statement = database.prepare(sql);
    if (!statement || !statement->run(values...))
        return tl::unexpected(database.error());
    return {};
}

bool has(OpFlag flags, OpFlag flag)
{
    return (static_cast<unsigned>(flags) & static_cast<unsigned>(flag)) != 0;
}

std::vector<PlacementRow> placementRows(const engine::Schedule& schedule)
{
    std::vector<PlacementRow> rows;
    for (int replica = 0; replica < schedule.shape.replicas; ++replica)
        for (int stage = 0; stage < schedule.shape.stages; ++stage)
            rows.push_back({replica, stage, schedule.device(replica, engine::StageId{stage})});
    return rows;
}

std::vector<ScheduleRow> programRows(const engine::Schedule& schedule)
{
    std::vector<ScheduleRow> rows;
    for (const engine::DeviceId device : schedule.program.ids()) {
        int position = 0;
        for (const Op& op : schedule.program[device])
            rows.push_back({static_cast<std::int64_t>(rows.size()), device, position++,
                            engine::toString(op), op, has(op.flags, OpFlag::JointWithNext),
                            has(op.flags, OpFlag::Half)});
    }
    return rows;
}

// Writes the metrics that are already known. A metric that both runMetrics() and gpuMetrics() have
// is written once.
Result<void> writeKnownMetrics(Database& database, const engine::RunInfo& info)
{
    return writeMetrics(database, [&](auto&& metric) {
        std::set<std::string_view> written;
        runMetrics(info, [&](const MetricText& text, const auto& value) {
            metric(text, value);
            written.insert(text.name);
        });
        for (const Metric& each : gpuMetrics(info))
            if (!written.contains(each.name))
                metric({each.name, each.unit}, each.value);
    });
}

} // namespace

Result<void> writeInfo(Database& database, const engine::RunInfo& info)
{
    return writeRows<engine::RunInfo>(database, {info})
        .and_then([&] {
            return writeRows<ExperimentRow>(database, {{info.experiment, info.command}});
        })
        .and_then([&] { return writeKnownMetrics(database, info); })
        .and_then([&] { return writeImport(database, info.import); });
}

Result<void> writeSchedule(Database& database, const engine::Schedule& schedule)
{
    return writeRows<engine::Schedule>(database, {schedule})
        .and_then([&] { return writeRows(database, placementRows(schedule)); })
        .and_then([&] { return writeRows(database, programRows(schedule)); });
}

Result<void> writeDevices(Database& database, const engine::Run& run, std::int64_t process)
{
    std::vector<DeviceRow> rows;
    for (int d = 0; d < run.schedule.shape.devices; ++d)
        rows.push_back({d, run.info.deviceName, globalTid(process, engine::DeviceId{d})});
    return writeRows(database, rows).and_then([&] {
        return writeArenas(database, run.info.arenas);
    });
}

Result<void> writeArenas(Database& database, std::span<const engine::ArenaUse> arenas)
{
    auto update = TRY(
        database.prepare("UPDATE BS_device SET live = ?, arena = ?, touched = ? WHERE device = ?"));
    for (std::size_t d = 0; d < arenas.size(); ++d)
        if (!update.run(arenas[d].live, arenas[d].arena, arenas[d].touched, d))
            return tl::unexpected(database.error());
    return {};
}

Result<void> writeOutcome(Database& database, engine::Outcome outcome, const std::string& failure)
{
    return runOnce(database, "UPDATE BS_run SET outcome = ?, failure = ?",
                   engine::outcomeName(outcome), failure);
}

Result<void> writeJournal(Database& database, const std::string& journal)
{
    return runOnce(database, "UPDATE BS_run SET journal = ?", journal);
}

} // namespace profiler
