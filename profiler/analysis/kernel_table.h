#pragma once

#include "profiler/analysis/gpu_activity.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace profiler {

// Selects executions of ops for a table.
struct KernelFilter
{
    std::optional<engine::OpKind> op;
    std::optional<engine::DeviceId> device;
    int iteration = -1;                             // index; -1: all except the median iteration
    std::optional<engine::Window> begun;            // only ops that begin within it
    std::optional<engine::OpOfIteration> execution; // only this execution
};

// All launches of one kernel by ops of one type. Nanoseconds.
struct KernelRow
{
    engine::OpKind op = engine::OpKind::Forward;
    std::uint32_t name = 0; // GpuActivity::names()
    std::int64_t count = 0, total = 0, shortest = 0, longest = 0;
    double share = 0; // of the time of all ops of the type, including gaps; waiting of an NCCL
                      // kernel before its op begins is excluded

    double mean() const { return engine::ratio(total, count); }
};

// The ops of one type that have GPU work. Nanoseconds.
struct OpKindWork
{
    engine::OpKind op = engine::OpKind::Forward;
    std::int64_t executions = 0, works = 0;
    std::int64_t time = 0; // sum of their spans
    std::int64_t busy = 0; // time in which work of the op ran; the rest is gaps
    double gapShare() const;
};

struct KernelTable
{
    std::vector<OpKindWork> ops; // by kind
    std::vector<KernelRow> rows; // by op type, then by total, longest first
};
KernelTable kernelTable(const engine::Run& run, const GpuActivity& activity,
                        const KernelFilter& filter = {});

// One execution of one op.
struct OpWork
{
    std::int64_t time = 0, busy = 0, longestGap = 0;
    std::int64_t works = 0;
    engine::EnumArray<KernelKind, std::int64_t, kKernelKinds> byKind{}; // sums within the op
    double gapShare() const;
    // Whether launch overhead dominates: kernels are short, with long gaps between them.
    bool isLaunchBound() const;
};
// `span`: the span of the op. None if no work of the op was recorded.
std::optional<OpWork> opWork(const GpuActivity& activity, engine::OpOfIteration op,
                             engine::Window span);

// Why a run has no GPU work, and what to do, as a sentence.
std::string whyNoKernels(const engine::RunInfo& info);

} // namespace profiler
