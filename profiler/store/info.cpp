#include "profiler/store/info.h"

#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "profiler/store/check_schedule.h"
#include "profiler/store/gpu_tables.h"
#include "profiler/store/metrics.h"
#include "profiler/store/row_tables.h"
#include "profiler/store/trace_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <set>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

constexpr std::string_view kAlone = "alone_", kBeside = "beside_", kUsed = "used",
                           kReserved = "communicators_reserved";

// The kinds of op whose interference is stored: how long an op of the kind takes alone, and how
// long it takes beside concurrent ops.
constexpr std::array kInterfering{OpKind::Forward,        OpKind::Backward,  OpKind::BackwardInput,
                                  OpKind::BackwardWeight, OpKind::Recompute, OpKind::OptimizerStep};

Interference& entryOf(OpKind kind, RunInfo& info)
{
    const auto found = std::ranges::find(info.interference, kind, &Interference::kind);
    return found != info.interference.end() ? *found
                                            : info.interference.emplace_back(Interference{kind});
}

// Reads a metric whose name is `prefix` followed by a kind of op, such as "alone_F". Returns false
// for other names.
bool takeInterference(std::string_view name, std::string_view prefix,
                      std::int64_t Interference::*field, std::int64_t value, RunInfo& info)
{
    if (!name.starts_with(prefix))
        return false;
    for (const OpKind kind : kInterfering)
        if (name.substr(prefix.size()) == kindShortName(kind))
            entryOf(kind, info).*field = value;
    return true;
}

// Reads a metric such as "gpu1_memory_weights". Returns false for other names, including the sums
// over all GPUs, which are stored only for scripts.
bool takeMemory(std::string_view name, std::int64_t bytes, RunInfo& info)
{
    constexpr std::string_view kGpu = "gpu", kMemory = "_memory_";
    int gpu = 0;
    if (!name.starts_with(kGpu))
        return false;
    name.remove_prefix(kGpu.size());
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), gpu);
    name.remove_prefix(static_cast<std::size_t>(rest - name.data()));
    if (error != std::errc{} || gpu < 0 || !name.starts_with(kMemory))
        return false;
    name.remove_prefix(kMemory.size());
    const auto owner = gpuMemoryOwnerNamed(name);
    if (!owner && name != kUsed && name != kReserved)
        // A later version of the program wrote this metric.
        return false;
    auto found = std::ranges::find(info.gpuMemory, gpu, &GpuMemory::gpu);
    if (found == info.gpuMemory.end()) {
        info.gpuMemory.emplace_back().gpu = gpu;
        found = std::prev(info.gpuMemory.end());
    }
    (owner ? (*found)[*owner] : name == kUsed ? found->used : found->reserved) = bytes;
    return true;
}

constexpr std::array<std::string_view, 4> kConfidences{"", "low", "medium", "high"};

// "" for NaN, which a damaged file may have.
std::string_view confidenceOf(double level)
{
    std::size_t index = 0;
    while (index + 1 < kConfidences.size() && level >= static_cast<double>(index + 1))
        ++index;
    return kConfidences[index];
}
constexpr std::int64_t kMostReportRows = 100000;

// Calls `fact(name, field)` for each field of the report that describes the import as a whole. Both
// writing and reading use it.
void facts(auto& report, auto&& fact)
{
    fact("program", report.program);
    fact("iterations_from", report.iterationsFrom);
    fact("kernels", report.kernels);
    fact("on_gpu", report.onGpu);
    fact("time", report.time);
    fact("stages_known", report.stagesKnown);
    fact("micro_batches_known", report.microBatchesKnown);
    fact("tensor_parallel", report.tensorParallel);
    fact("context_parallel", report.contextParallel);
    fact("replay_error", report.replayError);
    fact("lack", report.lack);
    fact("clocks_known", report.clocksKnown);
    fact("work_known", report.workKnown);
}

// The field of a row that stores a fact.
auto& valueOf(auto& row, const std::string& /*fact*/)
{
    return row.text;
}
auto& valueOf(auto& row, std::int64_t /*fact*/)
{
    return row.count;
}
auto& valueOf(auto& row, const std::optional<double>& /*fact*/)
{
    return row.value;
}

std::vector<ReportRow> rowsOf(const ImportReport& report)
{
    std::vector<ReportRow> rows;
    facts(report, [&](std::string_view name, const auto& field) {
        rows.push_back({"job", std::string(name), ""});
        valueOf(rows.back(), field) = field;
    });
    for (const ImportReport::Rule& rule : report.rules) {
        const auto level = std::ranges::find(kConfidences, rule.confidence) - kConfidences.begin();
        rows.push_back(
            {"rule", rule.name, rule.title, rule.matches, rule.time, static_cast<double>(level)});
    }
    for (const ImportReport::LeftOut& one : report.leftOut)
        rows.push_back({"left_out", one.what, "", one.count, one.time});
    for (const ImportReport::Clock& clock : report.clocks) {
        rows.push_back({"clock", clock.host, "", clock.pairs, clock.offset, clock.drift});
        rows.push_back({"clock_spread", clock.host, "", {}, clock.spread});
    }
    for (const int rank : report.missingRanks)
        rows.push_back({"missing_rank", "", "", rank});
    for (const std::string& warning : report.warnings)
        rows.push_back({"warning", "", warning});
    return rows;
}

template<class Field>
void takeFact(const ReportRow& row, Field& field)
{
    if constexpr (std::integral<Field>)
        field = static_cast<Field>(row.count.value_or(0));
    else
        field = valueOf(row, field);
}

void take(ReportRow& row, ImportReport& report)
{
    if (row.section == "job")
        facts(report, [&](std::string_view name, auto& field) {
            if (name == row.name)
                takeFact(row, field);
        });
    else if (row.section == "rule")
        report.rules.push_back({row.name, row.text,
                                std::string(confidenceOf(row.value.value_or(0))),
                                row.count.value_or(0), row.time.value_or(0)});
    else if (row.section == "left_out")
        report.leftOut.push_back({row.name, row.count.value_or(0), row.time.value_or(0)});
    else if (row.section == "clock")
        report.clocks.push_back({row.name, row.time.value_or(0), row.value.value_or(0), 0,
                                 static_cast<int>(std::clamp<std::int64_t>(row.count.value_or(0), 0,
                                                                           kMostReportRows))});
    else if (row.section == "clock_spread" && !report.clocks.empty())
        report.clocks.back().spread = row.time.value_or(0);
    else if (row.section == "missing_rank")
        report.missingRanks.push_back(
            static_cast<int>(std::clamp<std::int64_t>(row.count.value_or(0), 0, 1'000'000)));
    else if (row.section == "warning")
        report.warnings.push_back(std::move(row.text));
}

// Limits texts, because they are shown in labels.
bool fits(std::initializer_list<const std::string*> texts)
{
    constexpr std::size_t kMostText = 4096;
    return std::ranges::all_of(texts,
                               [](const std::string* text) { return text->size() <= kMostText; });
}

bool isPossible(const ImportReport::Match& match)
{
    return isWindow(match.window) && match.device.value_or(0) >= 0
        && match.iteration.value_or(0) >= 0;
}

Result<void> writeImport(Database& database, const std::optional<ImportReport>& report)
{
    if (!report)
        return {};
    std::vector<SourceRow> sources;
    for (const ImportReport::Rank& rank : report->ranks)
        sources.push_back({static_cast<int>(sources.size()), rank});
    std::vector<MatchRow> matches;
    for (const ImportReport::Match& match : report->matches)
        matches.push_back({match});
    TRY(addRows(database, sources));
    TRY(addRows(database, rowsOf(*report)));
    return addRows(database, matches);
}

Result<std::optional<ImportReport>> readImport(Database& database)
{
    const auto isImported = TRY(hasTable(database, kTableOf<SourceRow>.name));
    if (!isImported)
        return std::nullopt;
    ImportReport report;
    const std::string some = fmt::format("LIMIT {}", kMostReportRows);
    TRY(forEachRow<SourceRow>(database, "ORDER BY row " + some, [&](SourceRow& row) {
        report.ranks.push_back(row.rank);
        return fits({&row.rank.file, &row.rank.host, &row.rank.deviceName});
    }));
    TRY(forEachRowIfAny<ReportRow>(database, "ORDER BY rowid " + some, [&](ReportRow& row) {
        take(row, report);
        return fits({&row.section, &row.name, &row.text});
    }));
    TRY(forEachRowIfAny<MatchRow>(database, "ORDER BY rowid " + some, [&](MatchRow& row) {
        report.matches.push_back(row.match);
        return fits({&row.match.rule, &row.match.name}) && isPossible(row.match);
    }));
    return report;
}

std::vector<PeerRow> peerRows(const GpuMachine& machine)
{
    std::vector<PeerRow> rows;
    for (std::size_t from = 0; from < machine.peers.size(); ++from)
        for (std::size_t to = 0; to < machine.peers[from].size(); ++to)
            rows.push_back({static_cast<int>(from), static_cast<int>(to), machine.peers[from][to]});
    return rows;
}

bool addPeer(const PeerRow& row, GpuMachine& machine)
{
    constexpr int kMost = 1024; // limit for damaged files
    if (row.source < 0 || row.target < 0 || row.source >= kMost || row.target >= kMost)
        return true;
    const std::size_t from = row.source, to = row.target;
    machine.peers.resize(std::max(machine.peers.size(), from + 1));
    machine.peers[from].resize(std::max(machine.peers[from].size(), to + 1));
    machine.peers[from][to] = row.access;
    return true;
}

Result<void> readMachine(Database& database, GpuMachine& machine)
{
    constexpr std::string_view kInOrder = "ORDER BY rowid";
    TRY(forEachRowIfAny<GpuRow>(database, kInOrder, [&](GpuRow& row) {
        machine.gpus.push_back(row.gpu);
        return true;
    }));
    TRY(forEachRowIfAny<SettingRow>(database, kInOrder, [&](const SettingRow& setting) {
        machine.settings.push_back(setting);
        return true;
    }));
    return forEachRowIfAny<PeerRow>(database, kInOrder,
                                    [&](const PeerRow& row) { return addPeer(row, machine); });
}

Result<void> readHost(Database& database, std::string& host)
{
    constexpr std::size_t kMost = 255; // limit for damaged files
    return forEachRowIfAny<SystemRow>(database, "ORDER BY rowid", [&](const SystemRow& row) {
        const auto& [vm, state, name, number, value] = row.values;
        if (name == "Hostname" && value.size() <= kMost)
            host = value;
        return true;
    });
}

bool has(OpFlag flags, OpFlag flag)
{
    return (static_cast<unsigned>(flags) & static_cast<unsigned>(flag)) != 0;
}

std::vector<PlacementRow> placementRows(const Schedule& schedule)
{
    std::vector<PlacementRow> rows;
    for (int replica = 0; replica < schedule.shape.replicas; ++replica)
        for (int stage = 0; stage < schedule.shape.stages; ++stage)
            rows.push_back({replica, stage, schedule.device(replica, StageId{stage})});
    return rows;
}

std::vector<ScheduleRow> programRows(const Schedule& schedule)
{
    std::vector<ScheduleRow> rows;
    for (const DeviceId device : schedule.program.ids()) {
        int position = 0;
        for (const Op& op : schedule.program[device])
            rows.push_back({static_cast<std::int64_t>(rows.size()), device, position++,
                            toString(op), op, has(op.flags, OpFlag::JointWithNext),
                            has(op.flags, OpFlag::Half)});
    }
    return rows;
}

// Writes the metrics that are already known. A metric that both runMetrics() and gpuMetrics() have
// is written once.
Result<void> writeKnownMetrics(Database& database, const RunInfo& info)
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
    info.command = oneLine(row.command);
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
                value = oneLine(value);
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
    text = oneLine(text);
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
    DeviceId device{0};
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

std::vector<Metric> gpuMetrics(const RunInfo& info)
{
    std::vector<Metric> metrics;
    const auto add = [&](std::string name, auto value, const char* unit) {
        if (value != 0)
            metrics.push_back({std::move(name), static_cast<double>(value), unit});
    };
    for (const Interference& kind : info.interference) {
        const std::string name(kindShortName(kind.kind));
        add(std::string(kAlone) + name, kind.alone, "ns");
        add(std::string(kBeside) + name, kind.concurrent, "ns");
    }
    add("iteration_alone", info.iterationAlone, "ns");
    add("graph_ops", info.graphOps, "");
    add("cpu_share", info.cpuShare.value_or(0), "");
    add("other_load", info.otherLoad.value_or(0), "cores");
    if (info.gpuMemory.empty())
        return metrics;
    const GpuMemory all = sumOf(info.gpuMemory);
    add("gpu_memory_contexts", all[GpuMemoryOwner::Contexts], "bytes");
    add("gpu_memory_taken", all.taken(), "bytes");
    add("gpu_memory_used", all.used, "bytes");
    for (const GpuMemory& each : info.gpuMemory) {
        const std::string prefix = fmt::format("gpu{}_memory_", each.gpu);
        for (int i = 0; i < kGpuMemoryOwners; ++i) {
            const auto owner = static_cast<GpuMemoryOwner>(i);
            add(prefix + std::string(gpuMemoryOwnerKey(owner)), each[owner], "bytes");
        }
        add(prefix + std::string(kUsed), each.used, "bytes");
        add(prefix + std::string(kReserved), each.reserved, "bytes");
    }
    return metrics;
}

bool takeGpuMetric(std::string_view name, std::int64_t value, RunInfo& info)
{
    // Limits values, so that sums do not overflow.
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    const bool isTaken = takeInterference(name, kAlone, &Interference::alone, value, info)
        || takeInterference(name, kBeside, &Interference::concurrent, value, info)
        || takeMemory(name, value, info);
    return !isTaken || (value >= -kMost && value <= kMost);
}

Result<void> writeInfo(Database& database, const RunInfo& info)
{
    TRY(writeRows<RunInfo>(database, {info}));
    TRY(writeRows<ExperimentRow>(database, {{info.experiment, info.command}}));
    TRY(writeKnownMetrics(database, info));
    return writeImport(database, info.import);
}

Result<void> writeSchedule(Database& database, const Schedule& schedule)
{
    TRY(writeRows<Schedule>(database, {schedule}));
    TRY(writeRows(database, placementRows(schedule)));
    return writeRows(database, programRows(schedule));
}

Result<void> writeDevices(Database& database, const Run& run, std::int64_t process)
{
    std::vector<DeviceRow> rows;
    for (int d = 0; d < run.schedule.shape.devices; ++d)
        rows.push_back({d, run.info.deviceName, globalTid(process, DeviceId{d})});
    TRY(writeRows(database, rows));
    return writeArenas(database, run.info.arenas);
}

Result<void> writeArenas(Database& database, std::span<const ArenaUse> arenas)
{
    auto update = TRY(
        database.prepare("UPDATE BS_device SET live = ?, arena = ?, touched = ? WHERE device = ?"));
    for (std::size_t d = 0; d < arenas.size(); ++d)
        TRY(update.run(arenas[d].live, arenas[d].arena, arenas[d].touched, d));
    return {};
}

Result<void> writeOutcome(Database& database, Outcome outcome, const std::string& failure)
{
    return database.run("UPDATE BS_run SET outcome = ?, failure = ?", outcomeName(outcome),
                        failure);
}

Result<void> writeJournal(Database& database, const std::string& journal)
{
    return database.run("UPDATE BS_run SET journal = ?", journal);
}

Result<RunInfo> readInfo(Database& database)
{
    constexpr std::int64_t kMostTicksPerUnit = std::int64_t{1} << 40;
    RunInfo info;
    TRY(readOnlyRow(database, info));
    if (info.ticksPerUnit < 1 || info.ticksPerUnit > kMostTicksPerUnit)
        return tl::unexpected(database.damaged("BS_run has an impossible unit"));
    TRY(checkTexts(database, info));
    TRY(readExperiment(database, info));
    TRY(readMetrics(database, info));
    TRY(readArenas(database, info));
    info.import = TRY(readImport(database));
    TRY(readHost(database, info.hostName));
    TRY(readMachine(database, info.machine));
    return info;
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

Result<void> writeMachine(Database& database, const GpuMachine& machine, std::int64_t process)
{
    std::vector<GpuRow> gpus;
    std::vector<CudaDeviceRow> devices;
    for (const GpuFacts& gpu : machine.gpus) {
        gpus.push_back({gpu});
        devices.push_back({gpu.device, gpu.device, process, gpu.uuid, numberOf(gpu, "smCount")});
    }
    TRY(addRows(database, gpus));
    TRY(addRows(database, devices));
    TRY(addRows(database, machine.settings));
    return addRows(database, peerRows(machine));
}

Result<void> writeClocks(Database& database, const GpuClocks& clocks)
{
    return writeMetrics(database, [&](auto&& metric) { clockMetrics(clocks, metric); });
}

} // namespace profiler
