#include "app/cli/text/gpu_text.h"

#include "engine/schedule/notation.h"
#include "profiler/analysis/kernel_table.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/nccl_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {

// The time of the NCCL kernels of which waiting and transfer are known, in ns.
struct NcclTime
{
    std::size_t kernels = 0;
    std::int64_t waiting = 0, transferring = 0;
};

// Whether the traces of some ranks are missing. If so, the time of NCCL kernels cannot be divided
// into waiting and transfer.
bool lacksRanks(const Run& run)
{
    return run.info.import && !run.info.import->missingRanks.empty();
}

NcclTime ncclTime(const Run& run, const GpuTrace& trace)
{
    NcclTime time;
    if (lacksRanks(run))
        return time;
    for (const profiler::NcclSplit& split : profiler::splitNccl(trace, run.schedule)) {
        if (split.by == profiler::NcclSplit::By::None)
            continue;
        ++time.kernels;
        time.waiting += split.wait.duration();
        time.transferring += split.transfer.duration();
    }
    return time;
}

// "an iteration launches 3504 kernels, 876 per device"
std::string launchesText(const std::vector<double>& launches)
{
    const auto [least, most] = std::ranges::minmax(launches);
    const double all = std::accumulate(launches.begin(), launches.end(), 0.0);
    const std::string each = least == most
        ? fmt::format("{:.0f} per device", most)
        : fmt::format("{:.0f} to {:.0f} per device", least, most);
    return fmt::format("an iteration launches {:.0f} kernels, {}", all, each);
}

} // namespace

std::string missingText(std::size_t kernels, const GpuTraceHealth& health)
{
    std::string text;
    const auto add = [&text](std::int64_t count, std::string words) {
        if (count > 0)
            text += (text.empty() ? "" : ", ") + std::move(words);
    };
    add(health.withoutOp,
        fmt::format("{} of {} kernels belong to no op", health.withoutOp, kernels));
    add(health.dropped, fmt::format("{} records were lost", health.dropped));
    add(health.withoutTime, fmt::format("{} kernels have no times", health.withoutTime));
    add(health.unknown, fmt::format("{} records have unknown kinds", health.unknown));
    add(health.declinedBuffers,
        fmt::format("{} buffers for records could not be allocated", health.declinedBuffers));
    return text;
}

Reading addGpu(const Run& run, const GpuTrace& trace, Sheet& sheet)
{
    const GpuMachine& machine = run.info.machine;
    if (machine == GpuMachine{} && trace.isEmpty() && trace.health.isComplete())
        return {};
    const auto launches = kernelsPerIteration(run, trace);
    const NcclTime nccl = ncclTime(run, trace);
    const GpuClocks& clocks = machine.clocks;
    if (!trace.kernels.empty() || !trace.health.isComplete()) {
        const std::string missing = missingText(trace.kernels.size(), trace.health);
        sheet.sentence(
            fmt::format("{} kernels, {}", trace.kernels.size(),
                        missing.empty() ? "all linked to their ops" : "incomplete: " + missing));
    }
    if (!launches.empty())
        sheet.sentence(launchesText(launches));
    if (nccl.kernels > 0)
        sheet.sentence(fmt::format("{} NCCL kernels: {} waiting for other ranks, {} transferring",
                                   nccl.kernels, timeText(nccl.waiting, 1),
                                   timeText(nccl.transferring, 1)));
    sheet.sentence(clockText(clocks));
    Reading::Fields settings;
    for (const auto& [name, value] : machine.settings) {
        settings.emplace_back(name, value);
        if (name == "fallback")
            sheet.sentence(value);
    }
    return Reading::Fields{
        {"kernels", trace.kernels.size()},
        {"kernels_without_op", trace.health.withoutOp},
        {"records_dropped", trace.health.dropped},
        {"kernels_per_iteration", Reading::List(launches.begin(), launches.end())},
        {"nccl_wait", nccl.waiting},
        {"nccl_transfer", nccl.transferring},
        {"clocks",
         clocks.samples == 0
             ? Reading()
             : Reading(Reading::Fields{{"least_mhz", clocks.least},
                                       {"median_mhz", clocks.median},
                                       {"most_mhz", clocks.most},
                                       {"samples", clocks.samples},
                                       {"throttled", throttleText(clocks.throttle)}})},
        {"clocks_missing", textOrUnknown(clocks.reason)},
        {"machine", settings}};
}

namespace {

// Shortens names of templates, which can have hundreds of characters. --json prints full names.
std::string shortened(const std::string& label)
{
    constexpr std::size_t kMost = 72;
    return label.size() <= kMost ? label : label.substr(0, kMost - 3) + "...";
}

using O = OpKindWork;
constexpr std::array kOps{
    Measure<O>({"op", "op", Unit::None, kColumn}, [](const O& o) { return kindShortName(o.op); }),
    Measure<O>({"executions", "executions", Unit::None, kColumn}, Of<&O::executions>()),
    Measure<O>({"launches", "launches", Unit::None, kColumn}, Of<&O::works>()),
    Measure<O>({"time", "time", Unit::Microseconds, kColumn}, Of<&O::time>()),
    Measure<O>({"busy", "busy", Unit::Microseconds, kColumn}, Of<&O::busy>()),
    Measure<O>({"gap_share", "gaps", Unit::Share, kColumn}, Of<&O::gapShare>()),
};

struct NamedRow
{
    const KernelName& name;
    const KernelRow& row;
};

template<auto Member>
Reading of(const NamedRow& kernel)
{
    return std::invoke(Member, kernel.row);
}

using K = NamedRow;
constexpr std::array kKernels{
    Measure<K>({"op", "op", Unit::None, kColumn},
               [](const K& k) { return kindShortName(k.row.op); }),
    Measure<K>({"kernel"}, [](const K& k) { return k.name.label; }),
    Measure<K>({"", "kernel", Unit::None, kColumn},
               [](const K& k) { return shortened(k.name.label); }),
    Measure<K>({"name"}, [](const K& k) { return k.name.full; }),
    Measure<K>({"kind", "kind", Unit::None, kColumn},
               [](const K& k) { return kernelKindName(k.name.kind); }),
    Measure<K>({"count", "count", Unit::None, kColumn}, of<&KernelRow::count>),
    Measure<K>({"total", "total", Unit::Microseconds, kColumn}, of<&KernelRow::total>),
    Measure<K>({"mean", "mean", Unit::Microseconds, kColumn}, of<&KernelRow::mean>),
    Measure<K>({"min", "min", Unit::Microseconds, kColumn}, of<&KernelRow::shortest>),
    Measure<K>({"max", "max", Unit::Microseconds, kColumn}, of<&KernelRow::longest>),
    Measure<K>({"share", "of op", Unit::Share, kColumn}, of<&KernelRow::share>),
};

} // namespace

void addKernels(const GpuActivity& activity, const KernelTable& table, Sheet& sheet)
{
    std::vector<NamedRow> rows;
    for (const KernelRow& row : table.rows)
        rows.push_back({activity.names()[row.name], row});
    sheet.heading("Kernels by op type");
    sheet.table(Table(kOps, table.ops), "op_kinds");
    sheet.table(Table(kKernels, rows), "kernels");
}

} // namespace cli
