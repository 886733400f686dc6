#include "profiler/store/write_info.h"

#include "engine/schedule/notation.h"
#include "profiler/store/gpu/gpu_metrics.h"
#include "profiler/store/gpu/nsight.h"

#include <fmt/format.h>

namespace profiler {
namespace {

using engine::Op;
using engine::OpFlag;
using engine::Result;

// One row, from a statement that is used once.
template<class... Values>
Result<void> writeRow(Database& database, std::string_view sql, const Values&... values)
{
    auto statement = database.prepare(sql);
    if (!statement || !statement->run(values...))
        return tl::unexpected(database.error());
    return {};
}

Result<void> writeMetrics(Database& database, const engine::RunInfo& info)
{
    auto insert = database.prepare("INSERT INTO BS_metric (name, value, unit) VALUES (?, ?, ?)");
    if (!insert)
        return tl::unexpected(insert.error());
    const auto known
        = [](double value) { return value == 0 ? std::nullopt : std::optional(value); };
    bool ok = true;
    const auto add = [&](std::string_view name, const auto& value, std::string_view unit) {
        if (value)
            ok = ok && insert->run(name, *value, unit);
    };
    const std::int64_t tokens = info.tokensPerIteration;
    add("tokens_per_iteration", tokens == 0 ? std::nullopt : std::optional(tokens), "tokens");
    add("flops_per_iteration", known(info.flopsPerIteration), "FLOP");
    add("executed_flops", known(info.executedFlops), "FLOP");
    add("peak_flops", known(info.peakFlops), "FLOP/s");
    add("recompute_keeps", known(info.recomputeKeeps), "M_a");
    const auto text = [](const std::string& value) {
        return value.empty() ? std::nullopt : std::optional<std::string_view>(value);
    };
    add("peak_source", text(info.peakSource), "");
    add("transport", text(info.transport), "");
    add("precision", text(info.precision), "");
    add("threads", info.threads == 0 ? std::nullopt : std::optional(info.threads), "");
    add("cores", info.cores == 0 ? std::nullopt : std::optional(info.cores), "");
    add("unigram_entropy", info.unigramEntropy, "nats/token");
    add("entropy_rate", info.entropyRate, "nats/token");
    for (const Metric& metric : gpuMetrics(info)) // where they are known already
        add(metric.name, std::optional(metric.value), metric.unit);
    if (!ok)
        return tl::unexpected(database.error());
    return {};
}

bool has(OpFlag flags, OpFlag flag)
{
    return (static_cast<unsigned>(flags) & static_cast<unsigned>(flag)) != 0;
}

std::optional<int> unless(int none, int value)
{
    return value == none ? std::nullopt : std::optional(value);
}

Result<void> writePlacement(Database& database, const engine::Schedule& schedule)
{
    auto insert = database.prepare("INSERT INTO BS_placement VALUES (?, ?, ?)");
    if (!insert)
        return tl::unexpected(insert.error());
    for (std::size_t replica = 0; replica < schedule.deviceOf.size(); ++replica)
        for (std::size_t stage = 0; stage < schedule.deviceOf[replica].size(); ++stage)
            if (!insert->run(static_cast<int>(replica), static_cast<int>(stage),
                             schedule.deviceOf[replica][stage].value))
                return tl::unexpected(database.error());
    return {};
}

Result<void> writeProgram(Database& database, const engine::Schedule& schedule)
{
    auto insert = database.prepare(
        "INSERT INTO BS_schedule (op, device, position, name, kind, stage, microbatch, replica, "
        "slice, peer, version, joint, half) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    if (!insert)
        return tl::unexpected(insert.error());
    std::int64_t index = 0;
    for (std::size_t device = 0; device < schedule.program.size(); ++device) {
        int position = 0;
        for (const Op& op : schedule.program[device])
            if (!insert->run(index++, static_cast<int>(device), position++, engine::toString(op),
                             engine::kindShortName(op.kind), op.stage.value,
                             unless(-1, op.microBatch.value), int{op.replica},
                             unless(Op::kWhole, op.slice), unless(Op::kNoPeer, op.peer),
                             int{op.version}, int{has(op.flags, OpFlag::JointWithNext)},
                             int{has(op.flags, OpFlag::Half)}))
                return tl::unexpected(database.error());
    }
    return {};
}

} // namespace

Result<void> writeInfo(Database& database, const engine::RunInfo& info)
{
    return writeRow(database,
                    "INSERT INTO BS_run (scheme, label, mode, outcome, failure, started, program, "
                    "ticks_per_unit, device_name, timing, link, model, planned_warmup, "
                    "planned_iterations) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    info.scheme, info.label, engine::modeName(info.mode),
                    engine::outcomeName(info.outcome), info.failure, info.started, info.program,
                    info.ticksPerUnit, info.deviceName, info.timing, info.link, info.model,
                    info.plannedWarmup, info.plannedIterations)
        .and_then([&] {
            return writeRow(database, "INSERT INTO BS_experiment VALUES (?, ?)", info.experiment,
                            info.command);
        })
        .and_then([&] { return writeMetrics(database, info); });
}

Result<void> writeSchedule(Database& database, const engine::Schedule& schedule)
{
    const engine::Shape& shape = schedule.shape;
    return writeRow(database, "INSERT INTO BS_shape VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    schedule.scheme, shape.devices, shape.stages, shape.microBatches,
                    shape.replicas, shape.slices, shape.dataParallel, shape.updateEvery)
        .and_then([&] { return writePlacement(database, schedule); })
        .and_then([&] { return writeProgram(database, schedule); });
}

Result<void> writeDevices(Database& database, const engine::Run& run, std::int64_t process)
{
    auto insert
        = database.prepare("INSERT INTO BS_device (device, name, globalTid) VALUES (?, ?, ?)");
    if (!insert)
        return tl::unexpected(insert.error());
    for (int d = 0; d < run.schedule.shape.devices; ++d)
        if (!insert->run(d, run.info.deviceName, globalTid(process, engine::DeviceId{d})))
            return tl::unexpected(database.error());
    return writeArenas(database, run.info.arenas);
}

Result<void> writeArenas(Database& database, std::span<const engine::ArenaUse> arenas)
{
    auto update = database.prepare(
        "UPDATE BS_device SET live = ?, arena = ?, touched = ? WHERE device = ?");
    if (!update)
        return tl::unexpected(update.error());
    for (std::size_t d = 0; d < arenas.size(); ++d)
        if (!update->run(arenas[d].live, arenas[d].arena, arenas[d].touched, static_cast<int>(d)))
            return tl::unexpected(database.error());
    return {};
}

Result<void> writeOutcome(Database& database, engine::Outcome outcome, const std::string& failure)
{
    return writeRow(database, "UPDATE BS_run SET outcome = ?, failure = ?",
                    engine::outcomeName(outcome), failure);
}

Result<void> writeJournal(Database& database, const std::string& journal)
{
    return writeRow(database, "UPDATE BS_run SET journal = ?", journal);
}

} // namespace profiler
