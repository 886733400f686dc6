#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/gpu_activity.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace profiler {

// Selects the executions of ops that a table includes.
struct KernelFilter
{
    std::optional<engine::OpKind> op;
    std::optional<engine::DeviceId> device;
    int iteration = -1;                             // -1: all except the Replay
    std::optional<engine::Window> begun;            // only ops that begin within this window
    std::optional<engine::OpOfIteration> execution; // if set, only this execution
};

// All launches of one kernel by ops of one kind. Times in ns.
struct KernelRow
{
    engine::OpKind op = engine::OpKind::Forward;
    std::uint32_t name = 0; // index into GpuActivity::names()
    std::int64_t count = 0, total = 0, shortest = 0, longest = 0;
    // Share of OpKindWork::time in which the kernel runs. Excludes time outside the spans of the
    // ops, such as the wait of an NCCL kernel before its op begins.
    double share = 0;

    double mean() const { return engine::ratio(total, count); }
};

// All ops of one kind that have GPU work. Times in ns.
struct OpKindWork
{
    engine::OpKind op = engine::OpKind::Forward;
    std::int64_t executions = 0, works = 0;
    std::int64_t time = 0; // sum of the spans of the ops
    std::int64_t busy = 0; // time in which work of the op ran; the rest of `time` is gaps
    double gapShare() const;
};

struct KernelTable
{
    std::vector<OpKindWork> ops; // sorted by kind
    std::vector<KernelRow> rows; // sorted by kind of op, then by total time, longest first
};
KernelTable kernelTable(const engine::Run& run, const GpuActivity& activity,
                        const KernelFilter& filter = {});

// One execution of one op.
struct OpWork
{
    std::int64_t time = 0, busy = 0, longestGap = 0;
    std::int64_t works = 0;
    engine::EnumArray<KernelKind, std::int64_t, kKernelKinds> byKind{};
    double gapShare() const;
    // Whether launch overhead dominates: kernels are short and gaps between them are long.
    bool isLaunchBound() const;
};
// `span` is the span of the op. Returns nullopt if no work of the op was recorded.
std::optional<OpWork> opWork(const GpuActivity& activity, engine::OpOfIteration op,
                             engine::Window span);

// Returns the reason why a run has no GPU work, and how to record it, as one sentence.
std::string whyNoKernels(const engine::RunInfo& info);

// Returns for each device the mean number of kernels that its ops launch per iteration, over the
// measured iterations that have kernels. Includes NCCL's kernels, but no copies. Empty if no kernel
// belongs to an op.
engine::IdVector<engine::DeviceId, double> kernelsPerIteration(const engine::Run& run,
                                                               const engine::GpuTrace& trace);

} // namespace profiler
