#include "profiler/analysis/kernel_table.h"

#include "engine/schedule/schedule.h"
#include "profiler/analysis/windows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

// An op is launch-bound if gaps take at least a fifth of its time and its kernels are short: on
// average less than four times the 5 us that a launch takes on the host.
constexpr double kLaunchBoundGaps = 0.2;
constexpr double kShortKernel = 20'000; // ns

double gapShareOf(std::int64_t time, std::int64_t busy)
{
    return time > 0 ? engine::ratio(time - busy, time) : 0;
}

Windows windowsOf(const GpuActivity& activity, OpOfIteration op, Window span)
{
    std::vector<Window> windows;
    for (const std::uint32_t at : activity.of(op))
        windows.push_back(activity.work()[at].window);
    return clip(unite(std::move(windows)), span);
}

bool passes(const KernelFilter& filter, const Run& run, const Span& span)
{
    const auto& iteration = run.timeline.iterations[span.iteration];
    const bool isSelected = filter.iteration < 0
        ? iteration.kind != Iteration::Kind::Replay
        : static_cast<std::uint32_t>(filter.iteration) == span.iteration;
    if (filter.execution && *filter.execution != OpOfIteration{span.op, span.iteration})
        return false;
    return isSelected && (!filter.begun || filter.begun->contains(span.begin));
}

std::int64_t within(Window part, Window whole)
{
    return std::max<std::int64_t>(
        0, std::min(part.end, whole.end) - std::max(part.begin, whole.begin));
}

using RowKey = std::tuple<OpKind, std::uint32_t>;
struct Sums
{
    std::map<OpKind, OpKindWork> ops;
    std::map<RowKey, KernelRow> rows;
    // For each row, the part of its time that is within the spans of its ops.
    std::map<RowKey, std::int64_t> within;
    std::set<std::pair<std::uint32_t, std::uint32_t>> counted; // pairs of iteration and op
};

// An op can have several spans: in an imported run, an all-reduce has one per call. The work of the
// op is counted only once, with the first of its spans.
void addWork(const GpuActivity& activity, const Span& span, OpKind kind, Sums& sums)
{
    const OpOfIteration op{span.op, span.iteration};
    const bool isFirst = sums.counted.emplace(span.iteration, span.op).second;
    for (const std::uint32_t at : activity.of(op)) {
        const GpuWork& work = activity.work()[at];
        const std::int64_t time = work.window.duration();
        sums.within[{kind, work.name}] += within(work.window, span.window());
        if (!isFirst)
            continue;
        KernelRow& row
            = sums.rows.try_emplace({kind, work.name}, KernelRow{kind, work.name, 0, 0, time, time})
                  .first->second;
        ++sums.ops.at(kind).works;
        ++row.count;
        row.total += time;
        row.shortest = std::min(row.shortest, time);
        row.longest = std::max(row.longest, time);
    }
}

} // namespace

double OpKindWork::gapShare() const
{
    return gapShareOf(time, busy);
}

double OpWork::gapShare() const
{
    return gapShareOf(time, busy);
}

bool OpWork::isLaunchBound() const
{
    return works > 1 && gapShare() >= kLaunchBoundGaps && engine::ratio(busy, works) < kShortKernel;
}

KernelTable kernelTable(const Run& run, const GpuActivity& activity, const KernelFilter& filter)
{
    const OpIndex index(run.schedule);
    Sums sums;
    for (const Track& track : run.timeline.tracks) {
        if (filter.device && track.device != *filter.device)
            continue;
        for (const Span& span : track.spans) {
            const OpOfIteration op{span.op, span.iteration};
            const OpKind kind = opAt(run.schedule, index, span.op).kind;
            if ((filter.op && kind != *filter.op) || !passes(filter, run, span)
                || activity.of(op).empty())
                continue;
            OpKindWork& ofKind = sums.ops.try_emplace(kind, OpKindWork{kind}).first->second;
            ++ofKind.executions;
            ofKind.time += span.window().duration();
            ofKind.busy += length(windowsOf(activity, op, span.window()));
            addWork(activity, span, kind, sums);
        }
    }
    KernelTable table;
    for (const auto& [kind, one] : sums.ops)
        table.ops.push_back(one);
    for (auto& [at, row] : sums.rows) {
        const std::int64_t time = sums.ops.at(row.op).time;
        row.share = time > 0 ? engine::ratio(sums.within.at(at), time) : 0;
        table.rows.push_back(row);
    }
    std::ranges::stable_sort(table.rows, [](const KernelRow& a, const KernelRow& b) {
        return a.op != b.op ? a.op < b.op : a.total > b.total;
    });
    return table;
}

std::optional<OpWork> opWork(const GpuActivity& activity, OpOfIteration op, Window span)
{
    if (activity.of(op).empty())
        return std::nullopt;
    OpWork sum;
    sum.time = span.duration();
    const Windows busy = windowsOf(activity, op, span);
    sum.busy = length(busy);
    for (const Window gap : subtract({span}, busy))
        sum.longestGap = std::max(sum.longestGap, gap.duration());
    for (const std::uint32_t at : activity.of(op)) {
        const GpuWork& work = activity.work()[at];
        const std::int64_t time = within(work.window, span);
        sum.works += time > 0 ? 1 : 0;
        sum.byKind[activity.nameOf(work).kind] += time;
    }
    return sum;
}

std::string whyNoKernels(const RunInfo& info)
{
    switch (info.mode) {
    case Mode::Simulate:
        return "This run was simulated, so no GPU was used.";
    case Mode::Imported:
        return "The imported file has no kernels.";
    case Mode::Emulate:
    case Mode::Live:
        break;
    }
    if (info.experiment.find("\"cuda\"") == std::string::npos)
        return "This run used the CPU; use --backend cuda to run on a GPU.";
    if (info.timing.find("kernels by") != std::string::npos)
        return "Kernels were requested, but none was recorded.";
    return "This run was recorded with --trace ops, or CUPTI was not available; record with "
           "--trace kernels.";
}

IdVector<DeviceId, double> kernelsPerIteration(const Run& run, const GpuTrace& trace)
{
    const OpIndex index(run.schedule);
    const auto& iterations = run.timeline.iterations;
    IdVector<DeviceId, double> launches(run.schedule.shape.devices);
    std::set<std::uint32_t> seen;
    for (const GpuKernel& kernel : trace.kernels) {
        const auto [op, iteration] = kernel.of;
        if (op >= index.count() || iteration >= iterations.size()
            || iterations[iteration].kind != Iteration::Kind::Measured)
            continue;
        seen.insert(iteration);
        ++launches[index.deviceOf(op)];
    }
    if (seen.empty())
        return {};
    for (double& each : launches)
        each /= seen.size();
    return launches;
}

} // namespace profiler
