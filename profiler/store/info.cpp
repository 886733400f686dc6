#include "profiler/store/info.h"

#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "profiler/store/check_schedule.h"
#include "profiler/store/gpu/gpu_metrics.h"
#include "profiler/store/gpu/machine_tables.h"
#include "profiler/store/gpu/nsight.h"
#include "profiler/store/import_tables.h"
#include "profiler/store/metrics.h"
#include "profiler/store/run_tables.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <set>
#include <utility>

namespace profiler {

using engine::RunInfo;
using engine::Schedule;

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

Result<void> readExperiment(Database& database, RunInfo& info)
{
    ExperimentRow row;
    auto read = readOnlyRow(database, row);
    info.experiment = std::move(row.toml);
    info.command = engine::oneLine(row.command);
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
            if constexpr (std::floating_point<std::remove_cvref_t<decltype(value)>>)
                fits = fits && !std::isinf(value);
            if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, std::string>)
                value = engine::oneLine(value);
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

std::size_t sizeOfText(std::string& text)
{
    text = engine::oneLine(text);
    return text.size();
}
std::size_t sizeOfText(auto& /*other*/)
{
    return 0;
}

// Limits texts and escapes their line breaks, because they are shown in labels, tooltips and lines
// of a terminal.
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

Result<void> readShape(Database& database, Schedule& schedule)
{
    TRY(readOnlyRow(database, schedule));
    if (schedule.shape.devices < 1 || schedule.shape.devices >= Op::kNoPeer)
        return tl::unexpected(database.damaged("BS_shape has an impossible number of devices"));
    schedule.program.resize(schedule.shape.devices);
    return {};
}

Result<void> readPlacement(Database& database, Schedule& schedule)
{
    auto& deviceOf = schedule.deviceOf;
    return forEachRow<PlacementRow>(
        database, "ORDER BY replica, stage", [&](const PlacementRow& row) {
            if (std::cmp_equal(row.replica, deviceOf.size()))
                deviceOf.emplace_back();
            if (deviceOf.empty() || !std::cmp_equal(row.replica, deviceOf.size() - 1)
                || !std::cmp_equal(row.stage, deviceOf.back().size()))
                return false;
            deviceOf.back().push_back(row.device);
            return true;
        });
}

Result<void> readProgram(Database& database, Schedule& schedule)
{
    std::int64_t index = 0;
    engine::DeviceId device{0};
    return forEachRow<ScheduleRow>(database, "ORDER BY op", [&](ScheduleRow& row) {
        if (row.index != index++ || row.device < device
            || row.device.value >= schedule.shape.devices)
            return false;
        device = row.device;
        auto& program = schedule.program[device];
        if (!std::cmp_equal(row.position, program.size()))
            return false;
        row.op.flags
            = static_cast<OpFlag>((row.joint ? static_cast<unsigned>(OpFlag::JointWithNext) : 0U)
                                  | (row.half ? static_cast<unsigned>(OpFlag::Half) : 0U));
        program.push_back(row.op);
        return true;
    });
}

// Sets Shape::windows. The program of an asynchronous run contains the micro-batches of several
// windows, numbered consecutively.
void countWindows(Schedule& schedule)
{
    auto& shape = schedule.shape;
    if (shape.updateEvery == 0 || shape.microBatches < 1)
        return;
    int last = 0;
    for (const auto& program : schedule.program)
        for (const Op& op : program)
            last = std::max(last, op.microBatch.value);
    const std::int64_t windows = std::int64_t{last} / shape.microBatches + 1;
    constexpr int kMost = std::numeric_limits<int>::max();
    shape.windows = windows <= kMost ? static_cast<int>(windows) : 0; // 0 is refused
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

Result<Schedule> readSchedule(Database& database)
{
    Schedule schedule;
    TRY(readShape(database, schedule));
    TRY(readPlacement(database, schedule));
    TRY(readProgram(database, schedule));
    countWindows(schedule);
    if (auto ok = checkSchedule(schedule); !ok)
        return tl::unexpected(database.damaged(ok.error().message));
    return schedule;
}

} // namespace profiler
